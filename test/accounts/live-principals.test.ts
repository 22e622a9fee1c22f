import { afterEach, describe, expect, it } from 'vitest';
import { LivePrincipals } from '../../src/accounts/live-principals.js';
import type { Authenticator, Credential, Principal } from '../../src/accounts/principal.js';
import { until } from '../http/harness.js';
import { tokenPrincipal } from './token-principal.js';

function principalOf(tokenId: string, expires: number | null = null): Principal {
  return tokenPrincipal('u', tokenId, new Map(), expires);
}

/** Counts what is asked of it. */
class Tokens implements Authenticator {
  readonly principals = new Map<string, Principal>();
  versionNow = 1;
  versions = 0;
  readonly refreshed: (readonly string[])[] = [];
  failure: Error | null = null;
  /** A token that fails all that are asked for with it. */
  spoilt: string | null = null;

  async authenticate(): Promise<null> {
    return null;
  }

  async refresh(): Promise<null> {
    return null;
  }

  async refreshAll(credentials: readonly Credential[]): Promise<ReadonlyMap<string, Principal>> {
    const ids = credentials.map(({ id }) => id);
    if (this.failure !== null) throw this.failure;
    if (this.spoilt !== null && ids.includes(this.spoilt)) throw new Error('too many accounts');
    this.refreshed.push(ids);
    return new Map([...this.principals].filter(([id]) => ids.includes(id)));
  }

  async version(): Promise<string> {
    this.versions += 1;
    return String(this.versionNow);
  }
}

const opened: LivePrincipals[] = [];

function follow(ids: readonly string[], expires: number | null = null, interval = 5) {
  const tokens = new Tokens();
  const errors: unknown[] = [];
  const live = new LivePrincipals(tokens, interval, (error) => errors.push(error));
  opened.push(live);
  const heard = new Map<string, (Principal | null)[]>();
  for (const id of ids) {
    const principal = principalOf(id, expires);
    tokens.principals.set(id, principal);
    heard.set(id, []);
    live.follow(principal, (current) => heard.get(id)?.push(current));
  }
  return { tokens, live, heard, errors };
}

async function looks(tokens: Tokens, count: number): Promise<void> {
  const before = tokens.versions;
  await until(() => tokens.versions >= before + count);
}

afterEach(() => {
  for (const live of opened.splice(0)) live.close();
});

describe('tokens of open connections', () => {
  it('are looked at when they are followed, and then when access has changed', async () => {
    const { tokens, heard } = follow(['a', 'b']);
    await looks(tokens, 5);
    expect(tokens.refreshed).toEqual([['a', 'b']]);
    tokens.principals.delete('b');
    await looks(tokens, 3);
    expect(tokens.refreshed).toHaveLength(1);
    tokens.versionNow = 2;
    await looks(tokens, 3);
    expect(tokens.refreshed).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect([heard.get('a'), heard.get('b')]).toEqual([[], [null]]);
  });

  it('tells a new follower at once where others follow another reach of the token', async () => {
    const { tokens, live } = follow(['a']);
    const known = tokens.principals.get('a');
    const heard: (Principal | null)[] = [];
    live.follow(principalOf('a'), (current) => heard.push(current));
    expect(heard).toEqual([known]);
  });

  it('are looked at at once for a caller, by a look that begins after the call', async () => {
    const { tokens, live, heard } = follow(['a'], null, 60_000);
    await live.lookNow();
    tokens.principals.delete('a');
    tokens.versionNow = 2;
    await Promise.all([live.lookNow(), live.lookNow()]);
    expect(heard.get('a')).toEqual([null]);
  });

  it('end at their time, though nothing has changed', async () => {
    const { tokens, heard } = follow(['a'], Date.now() + 60);
    await looks(tokens, 2);
    expect(heard.get('a')).toEqual([]);
    await until(() => heard.get('a')?.length === 1);
    expect(heard.get('a')).toEqual([null]);
  });

  it('end although the look at others fails', async () => {
    const ids = Array.from({ length: 300 }, (_, n) => `t${n}`);
    const { tokens, heard, errors } = follow(ids);
    await looks(tokens, 2);
    tokens.spoilt = 't0';
    tokens.principals.delete('t299');
    tokens.principals.delete('t1');
    tokens.versionNow = 2;
    await until(() => heard.get('t299')?.length === 1);
    expect([heard.get('t299'), heard.get('t1')]).toEqual([[null], [null]]);
    expect(errors).not.toEqual([]);
    tokens.principals.delete('t0');
    await looks(tokens, 2);
    expect(heard.get('t0')).toEqual([]);
    tokens.spoilt = null;
    await until(() => heard.get('t0')?.length === 1);
  });

  it('are looked at again after a failure', async () => {
    const { tokens, heard, errors } = follow(['a']);
    await looks(tokens, 2);
    tokens.failure = new Error('lost');
    tokens.versionNow = 2;
    await until(() => errors.length > 0);
    tokens.principals.delete('a');
    tokens.failure = null;
    await until(() => heard.get('a')?.length === 1);
  });
});
