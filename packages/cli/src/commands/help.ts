import { EXIT, type ExitCode } from '../exit-code.ts';
import type { HelpCommand } from '../flags/commands.ts';
import type { CommandName } from '../flags/flag-table.ts';

const GENERAL = `longhand gives a software task to an agent, and writes down everything it does.

  longhand -t "fix the failing test"     work in this folder until it is done
  longhand --resume                      go on with the last conversation
  longhand ls                            list the conversations
  longhand show ID                       what happened in one, event by event
  longhand fork ID --at N                a new one with the same beginning
  longhand replay ID --strict            drive it again from its record: the same events must come out
  longhand export ID --format v0         its trajectory for others: v0, events, openai, jsonl, html
  longhand import FILE                   a conversation from somebody's trajectory
  longhand stats ID                      turns, calls, errors, time and cost, step by step
  longhand model NAME                    how a model is asked, and why so
  longhand profile save NAME ...         a model under a name
  longhand prompt                        what a conversation here begins with, and where each part comes from
  longhand agents                        the agents that --agent takes
  longhand batch TASKS.jsonl --out DIR   a conversation for each line, several at a time
  longhand demo                          see it work, without a key

The task
  -t, --task TEXT            the task, or with --resume the next message
  -f, --file FILE            read it from a file
  -                          read it from standard input, all of it
  -d, --directory DIR        the folder to work in (this one)
      --resume [ID]          go on with a conversation; its name, or the beginning of its id is enough
  -n, --name NAME            a name for the conversation; if there is one of that name, it goes on
      --id UUID              the same by its id
      --repo REPO            clone OWNER/NAME of GitHub, an address or a folder, and work there; -d says where to
      --branch NAME          of that repository (a new branch from its main one)
      --setup, --no-setup    source the repository's .openhands/setup.sh first (with a new --repo)

The model
      --model NAME           provider/model, such as anthropic/claude-sonnet-5 or ollama/qwen3
      --base-url URL         the provider's base address, for an endpoint of your own
      --profile NAME         a stored profile, or [llm.NAME] of the config file
      --config FILE          instead of ./config.toml and ~/.longhand/config.toml
  Environment: LLM_MODEL, LLM_BASE_URL, LLM_API_KEY, or a provider's own variable (ANTHROPIC_API_KEY,
  OPENAI_API_KEY, ...). Flags count before the environment, and that before the files.

Limits
  -i, --max-iterations N     requests to the model in one run (500)
  -b, --max-budget USD       cost of the whole conversation (none)
      --max-tokens N         tokens of the whole conversation, in and out (none)
      --max-time TIME        of this run, such as 90s, 15m or 2h (none)
      --allow-unpriced       with --max-budget: models whose price nobody knows count nothing

Output
      --json                 one event a line on standard output
      --quiet                only the final message
      --log-level LEVEL      error, warning, info or debug (warning)
      --record FILE          write every exchange with the model to a cassette
      --replay FILE          the model's answers come from a cassette, and each request must be the recorded one
      --save-trajectory PATH the trajectory as OpenHands V0 writes it, when the run ends; into a folder under its id
      --replay-trajectory FILE  the actions of a trajectory are carried out anew, then the agent goes on
      --system-prompt FILE   a Jinja template in place of the system prompt
      --agent NAME           which agent does the work (default); -c and V0's class names do as well
      --agent-config NAME    [agent.NAME] of the config file
      --auto-continue [TEXT] when the agent asks, it is told to go on, or TEXT; V0's agents have it on
      --no-auto-continue     what it asks is answered from standard input; /exit ends the run
      --plugin SOURCE        a folder, or ADDRESS#COMMIT of git, with skills, commands and hooks; more than once
      --mcp FILE             MCP servers, as in .mcp.json, besides those of ~/.longhand/mcp.json; more than once
      --hooks FILE           programs that look on and may refuse; instead of ~/.longhand/hooks.json
      --context-snapshots DIR  what each request is made of, one numbered file each
      --conversations-dir D  where conversations are kept (~/.longhand/conversations)
      --no-sandbox           accepted for later versions; there is no sandbox to switch off yet
  -h, --help                 this, or after a command what it takes
  -v, --version

Every flag has a variable: what --max-time says, LONGHAND_MAX_TIME says too.

Exit codes: 0 finished, 1 error, 2 wrong use or configuration, 3 stuck, 4 limit reached, 5 paused or waiting for
confirmation, 130 interrupted. Ctrl-C once ends a run in order, twice at once; either way it can be resumed.
`;

const LOG_LEVEL = `      --log-level LEVEL      error, warning, info or debug (warning)
`;
const COMMON = `      --conversations-dir D  where conversations are kept (~/.longhand/conversations)
${LOG_LEVEL}`;

const TOPICS: { readonly [K in CommandName]: string } = {
  run: GENERAL,
  help: GENERAL,
  ls: `longhand ls: lists the conversations, the one that changed last first.

      --json                 one conversation a line
${COMMON}`,
  show: `longhand show ID: what happened in a conversation, event by event. The beginning of the id is enough.

      --at N                 event N as a whole, and the state after it
      --messages             the messages that the model is sent there, made again from the log
      --calls                the model's calls one by one: tokens, cache, cost, time
      --json                 one event (or message, or call) a line
${COMMON}`,
  fork: `longhand fork ID [--at N]: a new conversation that begins with the events 0 to N of another. Prints its id.

      --at N                 the last event to take over (the last there is)
${COMMON}`,
  replay: `longhand replay ID|FILE: drives a conversation again from its record, or from a cassette. Answers, results, ids and
times come from there; neither network nor workspace is touched. Exit code 1 and the first difference if it comes out otherwise.

      --strict               byte for byte; without it ids, times and the system prompt may be others
      --json                 the report as JSON
${COMMON}`,
  export: `longhand export ID [--format FORMAT] [--out FILE]: a conversation in a form that others read. Secrets of the
environment are hidden.

      --format FORMAT        v0 (a trajectory of OpenHands V0), events (a folder of the OpenHands SDK), openai (chat
                             messages), jsonl (one event a line), html (a report for people); v0 if not given
  -o, --out FILE             instead of standard output; for events a folder
      --agent-role ROLE      of openai: what the agent says without a call is by agent, or by assistant as OpenAI has it
${COMMON}`,
  import: `longhand import FILE [--format FORMAT]: a new conversation with the history of a trajectory: a V0 trajectory, chat messages,
events one a line, or a folder of events. Prints its id.

      --format FORMAT        v0, events, openai or jsonl; told by the content if not given
  -d, --directory DIR        the folder that it goes on in (this one)
${COMMON}`,
  stats: `longhand stats ID: turns, tool calls, errors, condensations, time, tokens and cost, as a whole and step by step.

      --json                 as JSON
      --svg FILE             as a picture
${COMMON}`,
  model: `longhand model NAME: how a model would be asked with the settings as they are: address, key, window, price, features,
and the reason for each. Nobody is asked for it.

      --model, --base-url, --profile, --config   as in a run; --model does for NAME
      --json                 as JSON
${COMMON}`,
  profile: `longhand profile list | show NAME | save NAME | remove NAME: models under names, in ~/.longhand/profiles. Those of OpenHands
in ~/.openhands/profiles are found as well.

      --model, --base-url, --profile, --config   what to save, with the settings of environment and files
      --with-key             store the key in the file too, readable by its owner only
${COMMON}`,
  prompt: `longhand prompt: the system prompt and the tools that a new conversation here would begin with, part by part, and the file
that each comes from. Nobody is asked for it, and nothing is started: the tools of MCP servers are not among them.

  -d, --directory DIR        the folder to work in (this one)
      --system-prompt FILE   a template in place of the static part
      --agent NAME           of that agent
      --agent-config, --plugin, --model, --base-url, --profile, --config   as in a run
      --json                 as JSON
${COMMON}`,
  agents: `longhand agents: the agents that --agent takes here: those of plugins, of the folder, of the user, and those that
are built in; with their tools.

  -d, --directory DIR        the folder to work in (this one)
      --plugin SOURCE        as in a run
      --json                 one agent a line
${COMMON}`,
  batch: `longhand batch TASKS.jsonl --out DIR: a conversation of its own for each line of a file, several at a time. A line is a
JSON object with instance_id, problem_statement, repo and base_commit as SWE-bench has them, or id, task and files. Results stand in
DIR/results.jsonl. Called again after an end of any kind, it goes on where it stopped.

      --out DIR              for results, conversations and workspaces
  -j, --jobs N               so many at a time (4)
      --limit N              only the first so many
      --only IDS             only these, with commas between them; more than once
      --max-total-budget USD no more are begun when all together have cost so much (none)
      --json                 one result a line on standard output
      --quiet                nothing there
${LOG_LEVEL}  Flags of a run count for each: --model, --max-iterations, --max-budget, --max-time, --agent, --setup, ...

Exit codes: 0 all have a result, 1 some ended with an error, 2 wrong use, 4 total budget reached, 130 interrupted.
`,
  demo: `longhand demo: the real engine and the real tools repair a small repository in a temporary folder. Only the
model is a script, so that no key is needed.

      --json                 one event a line on standard output
      --quiet                only the final message
${COMMON}`,
};

export function helpText(topic: CommandName): string {
  return TOPICS[topic];
}

export function help({ topic = 'help' }: HelpCommand): ExitCode {
  process.stdout.write(helpText(topic));
  return EXIT.ok;
}
