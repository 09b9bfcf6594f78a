export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A node of `ariaSnapshotJSON({mode: 'ai'})`; what else it has are flags and properties of the element. */
export interface AriaNode {
  readonly role: string;
  readonly name?: string;
  /** What it holds if that is text alone; of a field, its value. */
  readonly text?: string;
  readonly children?: readonly AriaNode[];
  /** Names the element while it lives: `e7`, in frames `f1e2`; a new document never uses a number again. */
  readonly ref?: string;
  readonly cursor?: string;
  /** Against the frame's viewport, in CSS pixels. */
  readonly box?: Box;
  readonly active?: boolean;
  readonly [property: string]: unknown;
}

/** Every node and what is in it, outer ones first. */
export function* walk(nodes: readonly AriaNode[], depth = 0): Generator<readonly [AriaNode, number]> {
  for (const node of nodes) {
    yield [node, depth];
    if (node.children !== undefined) yield* walk(node.children, depth + 1);
  }
}
