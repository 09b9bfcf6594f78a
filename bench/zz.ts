import { startEndpoint } from './endpoint.ts';
import { makePlace, longhand, bareLoop, runAgent, median } from './agent-run.ts';
const e = await startEndpoint(); const place = makePlace(); const argv=longhand(e, place, '-t', 'work','-i','1000').slice(1);
const N='/work/main/node_modules/node/bin/node'; const C='/work/main/node_modules/.cache/';
const v:any={bare:bareLoop(e)}; for(const k of process.argv.slice(2)) v[k]=[N,'--max-semi-space-size=4',C+k+'/longhand.js',...argv];
const r:any={}; for(let i=0;i<12;i++) for(const k in v){await e.plan(1,0); const x=await runAgent(v[k],e,place); if(i>1)(r[k]??=[]).push(x)}
for(const k in r) console.log(k.padEnd(10), 'ttfr', median(r[k].map((x:any)=>x.firstRequestMs)).toFixed(1), 'wall', median(r[k].map((x:any)=>x.wallMs)).toFixed(1), 'mb', median(r[k].map((x:any)=>x.peakMb)).toFixed(0));
e.stop(); place.remove();
