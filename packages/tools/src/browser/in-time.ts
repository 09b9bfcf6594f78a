/** What work comes to, or undefined if it takes longer; it then goes on, and nobody is told of its failure. */
export async function inTime<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), limitMs);
  work.catch(() => undefined); // in time, the race tells it
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
