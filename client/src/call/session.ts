import type { JsonObject } from '../../../src/protocol/json.js';

/** The Session object (RFC 8620 2). */
export interface Session {
  readonly capabilities: Readonly<Record<string, JsonObject>>;
  readonly accounts: Readonly<Record<string, SessionAccount>>;
  readonly primaryAccounts: Readonly<Record<string, string>>;
  readonly username: string;
  readonly apiUrl: string;
  readonly downloadUrl: string;
  readonly uploadUrl: string;
  readonly eventSourceUrl: string;
  readonly state: string;
}

export interface SessionAccount {
  readonly name: string;
  readonly isPersonal: boolean;
  readonly isReadOnly: boolean;
  readonly accountCapabilities: Readonly<Record<string, JsonObject>>;
}

export const CORE = 'urn:ietf:params:jmap:core';

/** Limits of the core capability (RFC 8620 2). */
export type Limit =
  | 'maxSizeUpload'
  | 'maxConcurrentUpload'
  | 'maxSizeRequest'
  | 'maxConcurrentRequests'
  | 'maxCallsInRequest'
  | 'maxObjectsInGet'
  | 'maxObjectsInSet';

/** Returns a limit of the server; infinity where the session doesn't name it. */
export function readLimit({ capabilities }: Session, name: Limit): number {
  return (capabilities[CORE]?.[name] as number | undefined) ?? Number.POSITIVE_INFINITY;
}

/**
 * Returns the URL of the session resource: that of the origin (RFC 8620 2.2) where `url` has no
 * path.
 */
export function locateSession(url: string): string {
  const { pathname, href } = new URL(url);
  return pathname === '/' ? new URL('/.well-known/jmap', href).href : href;
}

/** Returns a URI Template of level 1 (RFC 6570) with values in the place of their names. */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? '').replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  );
}

/** The session of a client, fetched again when the server tells of another. */
export interface SessionKeeper {
  current(): Session;
  /**
   * Notes the `sessionState` of a response. Where it is another one, the session is fetched again:
   * once in ten seconds while the server tells other states than it answers, or many of them.
   * Without a state, the session may be another by now.
   */
  noteState(state?: string): void;
  /** Resolves when no session is being fetched. */
  settle(): Promise<void>;
  /** Calls `listener` with each later session. Returns the function that ends this. */
  listen(listener: (session: Session) => void): () => void;
}

/** How long a session isn't fetched again that has another state than the told one, ms. */
const PAUSE = 10_000;
/** So many with the told state are fetched without a pause. Each pause allows one more. */
const MOST_AT_ONCE = 3;

/**
 * Resolves when the first session is there; rejects where it isn't to be had. `wait` resolves after
 * so many milliseconds, and rejects where the client ends before.
 */
export async function keepSession(
  load: () => Promise<Session>,
  wait: (milliseconds: number) => Promise<void>,
  known?: Session,
): Promise<SessionKeeper> {
  const listeners = new Set<(session: Session) => void>();
  let session = known ?? (await load());
  /** The state that was told last. A server may answer another one for it. */
  let told: string | undefined = session.state;
  /** When the last one was asked for; earlier where more may be asked for at once. */
  let askedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;
  let isWaiting = false;

  const fetchAgain = (): void => {
    const before = askedAt;
    askedAt = Date.now();
    loading = load().then(
      (loaded) => {
        loading = undefined;
        session = loaded;
        // A server that answers the state that it tells may be asked at once for the next one.
        if (loaded.state === told)
          askedAt = Math.max(before, askedAt - MOST_AT_ONCE * PAUSE) + PAUSE;
        for (const listener of listeners) listener(loaded);
      },
      () => {
        loading = undefined;
        // The next response asks for it again.
        told = session.state;
        askedAt = before;
      },
    );
  };
  const fetchLater = async (milliseconds: number): Promise<void> => {
    isWaiting = true;
    await wait(milliseconds);
    await loading;
    isWaiting = false;
    if (told !== session.state) fetchAgain();
  };
  return {
    current: () => session,
    noteState(state) {
      const rest = askedAt + PAUSE - Date.now();
      const isResting = loading !== undefined || rest > 0;
      // While one is being fetched, the server may have gone back to the state of this one.
      const isSame = loading === undefined && state === session.state;
      const isAsked = isResting && state === told;
      told = state;
      if (isSame || isAsked || isWaiting) return;
      // The client ends where it rejects.
      if (isResting) fetchLater(rest).catch(() => undefined);
      else fetchAgain();
    },
    settle: async () => loading,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
