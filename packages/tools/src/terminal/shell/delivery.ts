import { randomUUID } from 'node:crypto';
import type { Workspace } from '@longhand/sdk';
import {
  commandLine,
  definitions,
  fileLine,
  mayTrap,
  restoringLine,
  type Script,
  startScript,
} from './start-script.ts';

/** How a shell gets its start script and its commands: on a line, or through a private file if they are long. */
export class Delivery {
  readonly #workspace: Workspace;
  readonly #script: Script;
  readonly path = `/tmp/longhand-shell-${randomUUID()}`;
  #isWritten = false;
  /** Whether a command may have set a trap. */
  #hasTraps = false;

  constructor(workspace: Workspace, script: Script) {
    this.#workspace = workspace;
    this.#script = script;
  }

  /** Writes the start script. Throws a WorkspaceError. */
  async start(readsBashrc: boolean): Promise<void> {
    await this.#write(startScript(this.#script, readsBashrc));
  }

  /** The line that runs a complete command. Throws a WorkspaceError if its file cannot be written. */
  async lineOf(sequence: number, command: string): Promise<string> {
    this.#hasTraps ||= mayTrap(command);
    const numbered = { script: this.#script, sequence, hasTraps: this.#hasTraps };
    const line = commandLine(numbered, command);
    if (line !== null) return line;
    await this.#write(command.replaceAll('\0', '')); // bash cannot hold NUL
    return fileLine(numbered, this.path);
  }

  /**
   * The line that defines our functions again. If its file cannot be written, the line does nothing: its prompt then
   * signals the end of the command.
   */
  async restoringLine(sequence: number): Promise<string> {
    await this.#write(definitions(this.#script)).catch(() => undefined);
    return restoringLine(sequence, this.path);
  }

  /** Removes the file once the shell has read it. Failures are ignored: the name is unique, and a workspace that is gone has no files. */
  async clear(): Promise<void> {
    if (!this.#isWritten) return;
    this.#isWritten = false;
    await this.#workspace.remove(this.path).catch(() => undefined);
  }

  async #write(content: string): Promise<void> {
    this.#isWritten = true;
    await this.#workspace.writeFile(this.path, Buffer.from(content), { mode: 0o600 });
  }
}
