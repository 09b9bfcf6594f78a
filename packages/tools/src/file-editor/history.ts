/** What a file was before an edit of ours, and what it was after, so that undoing discards nobody else's work. */
export interface Edit {
  /** Null if the file was created. */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array;
}

const EDITS_PER_FILE = 10;
const TOTAL_BYTES = 64 * 1024 * 1024;

/** The last ten edits of each file, the oldest going first when they take more than 64 MiB together. */
export class EditHistory {
  readonly #edits: { readonly path: string; readonly edit: Edit }[] = [];

  push(path: string, edit: Edit): void {
    this.#edits.push({ path, edit });
    const own = this.#edits.filter((each) => each.path === path);
    if (own.length > EDITS_PER_FILE) this.#drop(own[0]);
    while (this.#edits.length > 1 && this.#bytes() > TOTAL_BYTES) this.#edits.shift();
  }

  last(path: string): Edit | undefined {
    return this.#edits.findLast((each) => each.path === path)?.edit;
  }

  pop(path: string): void {
    this.#drop(this.#edits.findLast((each) => each.path === path));
  }

  #drop(entry: { readonly path: string; readonly edit: Edit } | undefined): void {
    const index = entry === undefined ? -1 : this.#edits.indexOf(entry);
    if (index !== -1) this.#edits.splice(index, 1);
  }

  #bytes(): number {
    return this.#edits.reduce((sum, { edit }) => sum + (edit.before?.length ?? 0) + edit.after.length, 0);
  }
}
