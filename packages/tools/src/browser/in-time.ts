/** The result of `work`, or undefined if it takes longer than the limit. It then continues, and its failure is ignored. */
export async function inTime<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), limitMs);
  work.catch(() => undefined); // if it fails in time, the race reports it
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
