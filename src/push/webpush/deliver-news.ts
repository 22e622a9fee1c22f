import type { PostResult } from './post.js';
import { type MessageOptions, prepareMessage } from './push-message.js';
import type { PushNews, PushRow } from './sender-ports.js';
import { writeStateChanges } from './state-changes.js';

/** How the push of all that is new went. */
export interface Delivery {
  /** The last answer, or the first that is no success. */
  readonly result: PostResult;
  /** A service took long to answer. */
  readonly isSlow: boolean;
}

/** How long a push service keeps a StateChange for a device that isn't there, seconds. */
const TTL = 86_400;
/** A push that takes so long is slow, ms. */
const SLOW = 5000;

/** Sends all that is new to a subscription: one message after the other where it takes several. */
export async function deliverNews(
  row: PushRow,
  news: PushNews,
  options: MessageOptions,
): Promise<Delivery> {
  let delivery: Delivery | undefined;
  let isSlow = false;
  for (const { text, topic } of writeStateChanges(news.changed)) {
    const began = performance.now();
    const prepared = await prepareMessage(row, { text, topic, ttl: TTL }, options);
    const result = 'kind' in prepared ? prepared : await options.poster.post(prepared);
    isSlow ||= performance.now() - began >= SLOW;
    delivery = { result, isSlow };
    if (!isSuccess(result)) break;
  }
  if (delivery === undefined) throw new Error('There was nothing to tell.');
  return delivery;
}

/** Returns whether a service has taken a message. */
export function isSuccess(result: PostResult): boolean {
  return result.kind === 'answer' && result.status >= 200 && result.status < 300;
}

/** Returns in a word why a push failed. It tells nothing of what is inside. */
export function reasonOf(result: PostResult): string {
  return result.kind === 'answer' ? `status-${result.status}` : result.kind;
}

/** Returns what the log tells of a push that failed. */
export function describeResult(result: PostResult): object {
  const detail = result.kind === 'answer' ? result.excerpt : result.detail;
  return { reason: reasonOf(result), detail };
}
