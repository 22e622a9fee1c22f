import { timeLeft } from './time-left.js';

/** What `work` resolves to; rejects with what `late` makes at the deadline, whatever it waits for. */
export async function inTime<T>(deadline: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeLeft(deadline));
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
