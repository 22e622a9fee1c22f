import type { Answer } from '../scripts/generator/random/serve.js';

/** Counts everything of messages.yaml anew, without the engine's code. */

interface Account {
  readonly boxes: readonly Answer[];
  readonly threads: readonly Answer[];
  readonly messages: readonly Answer[];
}

type Values = ReadonlyMap<string, object>;

export function recount({ boxes, threads, messages }: Account) {
  const total = (id: string) => messages.filter((one) => one.boxIds[id] === true).length;
  return {
    boxes: new Map(boxes.map((box) => [box.id, boxValues(box, boxes, messages, total)])) as Values,
    threads: new Map(
      threads.map(({ id }) => {
        const own = messages.filter((one) => one.threadId === id);
        const named = messages.filter((one) =>
          one.parts.some((part: Answer) => part.threadId === id),
        );
        const lastAt = latest(own.map((one) => one.sentAt));
        return [id, { messages: own.length, lastAt, named: named.length }];
      }),
    ) as Values,
    totals: new Map([['singleton', totals(messages)]]) as Values,
  };
}

function boxValues(
  { id, name }: Answer,
  boxes: readonly Answer[],
  messages: readonly Answer[],
  total: (id: string) => number,
): object {
  const own = messages.filter((one) => one.boxIds[id] === true);
  const unseen = own.filter((one) => !one.keywords.$seen);
  const unread = unseen.filter((one) => !one.keywords.$draft).length;
  const inner = boxes.filter((one) => one.parentId === id);
  const paid = own.filter(({ meta }) => meta.state !== undefined && meta.state !== 'void');
  const sizes = own.filter((one) => one.isHot).map((one) => one.size);
  const days = own.map((one) => one.day).filter((day) => day !== null);
  return {
    total: own.length,
    unread,
    threads: different(own.map((one) => one.threadId)),
    unreadThreads: different(unseen.map((one) => one.threadId)),
    octets: own.reduce((sum, one) => sum + one.size, 0),
    worth: cents(paid.map((one) => one.price)),
    oldest: earliest(own.map((one) => one.sentAt)),
    largest: sizes.length === 0 ? null : Math.max(...sizes),
    dearest:
      own.length === 0
        ? null
        : own
            .map((one) => one.price)
            .toSorted(byAmount)
            .at(-1),
    arrived: latest(own.map((one) => one.created)),
    lastDay: days.toSorted().at(-1) ?? null,
    shown: inner.filter((one) => !one.isHidden).length,
    within: inner.reduce((sum, one) => sum + total(one.id), 0),
    label: `${name} (${unread})`,
  };
}

function byAmount(one: string, other: string): number {
  return Number(one) - Number(other);
}

function totals(messages: readonly Answer[]): object {
  const isOpen = ({ meta }: Answer) => ['open', "it's"].includes(meta.state) && meta.rank !== 3;
  return {
    messages: messages.length,
    open: messages.filter(isOpen).length,
    topics: different(messages.map((one) => one.threadId)),
    octets: messages.reduce((sum, one) => sum + one.size, 0),
    cheapest: messages.length === 0 ? null : Math.min(...messages.map((one) => one.size)),
  };
}

function different(values: readonly unknown[]): number {
  return new Set(values.filter((value) => value !== null)).size;
}

function inTime(texts: readonly (string | null)[]): readonly string[] {
  const given = texts.filter((text) => text !== null);
  return given.toSorted((a, b) => Date.parse(a) - Date.parse(b));
}

function earliest(texts: readonly (string | null)[]): string | null {
  return inTime(texts)[0] ?? null;
}

function latest(texts: readonly (string | null)[]): string | null {
  return inTime(texts).at(-1) ?? null;
}

/** Adds amounts with two digits behind the point at most. */
function cents(prices: readonly string[]): string {
  const sum = prices.reduce((all, price) => {
    const [whole = '', fraction = ''] = price.replace('-', '').split('.');
    const value = BigInt(whole + fraction.padEnd(2, '0'));
    return price.startsWith('-') ? all - value : all + value;
  }, 0n);
  const text = String(sum < 0n ? -sum : sum).padStart(3, '0');
  const fraction = text.slice(-2).replace(/0+$/, '');
  const shown = `${text.slice(0, -2)}${fraction === '' ? '' : `.${fraction}`}`;
  return sum < 0n ? `-${shown}` : shown;
}
