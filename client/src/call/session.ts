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
   * Notes the `sessionState` of a response. Without one, the session may be another by now: it is
   * fetched again, once in ten seconds until a response comes.
   */
  noteState(state?: string): void;
  /** Resolves when no session is being fetched. */
  settle(): Promise<void>;
  /** Calls `listener` with each later session. Returns the function that ends this. */
  listen(listener: (session: Session) => void): () => void;
}

/** How long a session that has another state than responses tell isn't fetched again, ms. */
const PAUSE = 10_000;

/** Resolves when the first session is there; rejects where it isn't to be had. */
export async function keepSession(
  load: () => Promise<Session>,
  known?: Session,
): Promise<SessionKeeper> {
  const listeners = new Set<(session: Session) => void>();
  let session = known ?? (await load());
  /** The state for which the session was fetched last. A server may answer another one for it. */
  let asked: string | undefined = session.state;
  let askedAt = Number.NEGATIVE_INFINITY;
  let last: Promise<Session> | undefined;
  return {
    current: () => session,
    noteState(state) {
      // While one is being fetched, the server may have gone back to the state of this one.
      const isSame = last === undefined && state === session.state;
      const isAsked = state === asked && (last !== undefined || Date.now() - askedAt < PAUSE);
      asked = state;
      if (isSame || isAsked) return;
      askedAt = Date.now();
      const loading = load();
      last = loading;
      loading.then(
        (loaded) => {
          // A later one is on its way.
          if (last !== loading) return;
          last = undefined;
          session = loaded;
          for (const listener of listeners) listener(loaded);
        },
        () => {
          if (last !== loading) return;
          last = undefined;
          // The next response asks for it again.
          asked = session.state;
        },
      );
    },
    async settle() {
      let awaited: Promise<Session> | undefined;
      while (awaited !== last) {
        awaited = last;
        await awaited?.catch(() => undefined);
      }
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
