/** Timers take no more than 31 bits; who waits for longer has a deadline elsewhere too. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** What `work` resolves to; rejects with what `late` makes at the deadline, whatever it waits for. */
export async function inTime<T>(deadline: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    const left = Math.min(Math.max(0, deadline - performance.now()), LONGEST_TIMER);
    timer = setTimeout(() => reject(late()), left);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
