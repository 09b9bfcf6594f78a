export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A node of `ariaSnapshotJSON({mode: 'ai'})`; its other members are flags and properties of the element. */
export interface AriaNode {
  readonly role: string;
  readonly name?: string;
  /** The content if that is only text; the value of a field. */
  readonly text?: string;
  readonly children?: readonly AriaNode[];
  /** Identifies the element while it exists: `e7`, in frames `f1e2`. A new document never reuses a number. */
  readonly ref?: string;
  readonly cursor?: string;
  /** Relative to the frame's viewport, in CSS pixels. */
  readonly box?: Box;
  readonly active?: boolean;
  readonly [property: string]: unknown;
}

/** Yields each node and its descendants with their depth, parents first. */
export function* walk(nodes: readonly AriaNode[], depth = 0): Generator<readonly [AriaNode, number]> {
  for (const node of nodes) {
    yield [node, depth];
    if (node.children !== undefined) yield* walk(node.children, depth + 1);
  }
}
