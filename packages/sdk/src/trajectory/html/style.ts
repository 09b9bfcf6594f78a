export const STYLE = `
:root{color-scheme:light dark;--page:#f5f6f8;--card:#fff;--sunk:#f6f8fa;--ink:#1d2330;--dim:#667085;--line:#e3e6eb;--accent:#3b6fd4;--user:#eaf1ff;--good:#157f52;--bad:#c0362c;--warn:#9a6700;--plus:#e3f6ea;--minus:#fdeaea;--at:#6b5bb5;--hit:#ffe27a;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
@media (prefers-color-scheme:dark){:root{--page:#0f1216;--card:#171b22;--sunk:#0f131a;--ink:#e8ebf0;--dim:#98a2b3;--line:#2b323d;--accent:#7aa2f7;--user:#1b2740;--good:#4cc38a;--bad:#ff7b72;--warn:#e3b341;--plus:#12301f;--minus:#3a1a1c;--at:#a99cf0;--hit:#7a5c00}}
*{box-sizing:border-box}
html{scroll-padding-top:76px}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
main,.top{max-width:1040px;margin:0 auto;padding:0 20px}
.top{padding-top:36px}
h1{font-size:24px;line-height:1.3;margin:0 0 6px;overflow-wrap:anywhere;text-wrap:balance}
.meta{color:var(--dim);font-size:13px;overflow-wrap:anywhere}
.tiles{display:flex;flex-wrap:wrap;gap:10px;margin:20px 0}
.tile{flex:1 0 auto;min-width:84px;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:10px 14px}
.tile b{display:block;font-size:20px;font-variant-numeric:tabular-nums;white-space:nowrap}
.tile span{color:var(--dim);font-size:12px}
svg.stats{width:100%;height:auto;display:block;border:1px solid var(--line);border-radius:10px}
.bar{position:sticky;top:0;z-index:2;background:var(--page);border-bottom:1px solid var(--line);margin:20px 0 12px}
.bar div{max-width:1040px;margin:0 auto;padding:10px 20px;display:flex;flex-wrap:wrap;gap:8px;align-items:center}
.bar input{flex:1 1 220px;min-width:0;font:inherit;padding:7px 12px;border:1px solid var(--line);border-radius:8px;background:var(--card);color:var(--ink)}
.bar button{font:inherit;font-size:13px;padding:6px 11px;border:1px solid var(--line);border-radius:8px;background:var(--card);color:var(--ink);cursor:pointer}
.bar button[aria-pressed=true]{background:var(--accent);border-color:var(--accent);color:var(--card)}
.bar :focus-visible,a:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.bar output{color:var(--dim);font-size:13px;min-width:84px;text-align:right;font-variant-numeric:tabular-nums}
article{display:flex;gap:14px;margin:0 0 12px}
article[hidden]{display:none}
.gutter{flex:0 0 62px;text-align:right;color:var(--dim);font-size:12px;text-decoration:none;padding-top:11px;font-variant-numeric:tabular-nums}
.gutter b{display:block;color:var(--ink);font-weight:600}
.entry{flex:1;min-width:0;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:10px 16px 12px}
.user .entry{background:var(--user);border-color:transparent}
.note .entry{background:transparent;border-style:dashed}
article:target .entry{outline:2px solid var(--accent)}
header{display:flex;flex-wrap:wrap;gap:6px 8px;align-items:center}
.who{font-weight:600;font-size:13px}
.agent .who{color:var(--accent)}
.badge{font-size:11.5px;line-height:1.5;color:var(--dim);border:1px solid var(--line);border-radius:99px;padding:0 8px;white-space:nowrap;font-variant-numeric:tabular-nums}
.badge.good{color:var(--good);border-color:currentColor}.badge.bad{color:var(--bad);border-color:currentColor}.badge.warn{color:var(--warn);border-color:currentColor}
.prose{white-space:pre-wrap;overflow-wrap:anywhere;margin:6px 0;max-width:78ch}
.dim{color:var(--dim)}
.call{border-top:1px solid var(--line);margin-top:10px;padding-top:10px}
.call header{font-size:13px}
.call code{font:12.5px var(--mono);overflow-wrap:anywhere}
.call.failed{border-top-color:var(--bad)}
.prose p,.prose h3,.prose h4,.prose ul,.prose ol,.prose blockquote{margin:0 0 8px}.prose :last-child{margin-bottom:0}.prose h3{font-size:15px}.prose h4{font-size:14px}
.prose ul,.prose ol{padding-left:22px;white-space:normal}.prose li{white-space:pre-wrap}.prose blockquote{border-left:3px solid var(--line);padding-left:10px;color:var(--dim)}
.prose code{font:12.5px/1.5 var(--mono);background:var(--sunk);border-radius:4px;padding:1px 4px}.prose table{border-collapse:collapse;white-space:normal}.prose td,.prose th{border:1px solid var(--line);padding:3px 8px;text-align:left}
pre{font:12.5px/1.5 var(--mono);background:var(--sunk);border:1px solid var(--line);border-radius:8px;padding:9px 12px;margin:8px 0 0;overflow:auto;max-height:480px;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4}
pre.command{border-left:3px solid var(--accent)}
pre.bad{border-left:3px solid var(--bad)}
pre.diff{padding:6px 0;white-space:pre;overflow-wrap:normal}
.diff span{display:inline-block;min-width:100%;padding:0 12px}
.diff .plus{background:var(--plus)}.diff .minus{background:var(--minus)}.diff .at{color:var(--at)}
details{margin-top:8px}
summary{cursor:pointer;color:var(--dim);font-size:13px}
.tasks{margin:8px 0 0;padding:0;list-style:none}.tasks .done{color:var(--dim);text-decoration:line-through}
img{max-width:100%;border:1px solid var(--line);border-radius:8px;margin-top:8px}
footer{color:var(--dim);font-size:12px;text-align:center;padding:24px}
::highlight(found){background:var(--hit)}
@media (max-width:640px){.gutter{flex-basis:34px}.gutter time{display:none}article{gap:8px}.entry{padding:8px 12px 10px}main,.top{padding-left:12px;padding-right:12px}}
@media print{.bar{display:none}pre{max-height:none}}
`.trim();
