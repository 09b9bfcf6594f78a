import { ToolError } from './tool.ts';

/** The arguments of a call do not fit the schema. The message goes to the model; it names parameters, never their values. */
export class InvalidArguments extends ToolError {
  readonly #faults: string;
  readonly #given: object;

  constructor(faults: string, given: object, toolName?: string) {
    const whose = toolName === undefined ? '' : ` of ${toolName}`;
    const names = Object.keys(given).join(', ') || 'none';
    super(`The arguments${whose} are not valid (given: ${names}). ${faults}`);
    this.#faults = faults;
    this.#given = given;
  }

  /** The same error, which names the tool. */
  of(toolName: string): InvalidArguments {
    return new InvalidArguments(this.#faults, this.#given, toolName);
  }
}
