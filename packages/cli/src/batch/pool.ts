/** Processes a list in order, up to `jobs` items at a time, until `mayStart` returns false. Throws the first failure once the running items are done. */
export async function inParallel<T>(
  items: readonly T[],
  jobs: number,
  mayStart: () => boolean,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const faults: unknown[] = [];
  const worker = async () => {
    while (faults.length === 0 && mayStart()) {
      const { value, done } = waiting.next();
      if (done) return;
      try {
        await work(value);
      } catch (error) {
        faults.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, items.length) }, worker));
  if (faults.length > 0) throw faults[0];
}
