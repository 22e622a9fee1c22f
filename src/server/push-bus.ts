/** How servers that share a database tell each other of commits: by LISTEN, or not at all. */
export type PushBus =
  | { readonly kind: 'listen' }
  /** Each compares its states with the database every `interval` ms. */
  | { readonly kind: 'poll'; readonly interval: number };

/** The part of the reader of variables that this needs (config.ts). */
interface Variables {
  parsed<T>(name: string, legal: string, parse: (text: string) => T | null): T | null;
}

const LISTEN: PushBus = { kind: 'listen' };
const LEGAL = 'listen, or poll:DURATION with 1s to 60s, such as poll:1s';

/** Reads PUSH_BUS; `parseDuration` returns ms, and null where it is no duration. */
export function readPushBus(
  from: Variables,
  parseDuration: (text: string) => number | null,
): PushBus {
  const parse = (text: string): PushBus | null => {
    if (text === 'listen') return LISTEN;
    const [kind, duration] = text.split(/:(.*)/s);
    if (kind !== 'poll' || duration === undefined) return null;
    const interval = parseDuration(duration);
    const isLegal = interval !== null && interval >= 1000 && interval <= 60_000;
    return isLegal ? { kind: 'poll', interval } : null;
  };
  return from.parsed('PUSH_BUS', LEGAL, parse) ?? LISTEN;
}
