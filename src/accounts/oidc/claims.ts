import type { GroupPattern } from '../../text/index.js';

/** The payload of a verified token, or the answer of an introspection. */
export type Claims = Readonly<Record<string, unknown>>;

/** Gives an account to tokens whose claim has a fitting value. */
export interface AccessRule {
  /** Name of a claim, or a path with dots. */
  readonly claim: string;
  readonly is: Pick<GroupPattern, 'exec'>;
  /** Id or name of the account. `{1}` is what the first group of `is` matched. */
  readonly account: string;
  readonly mode: 'read' | 'write';
}

/** Gives roles to tokens. */
export interface RoleRule {
  readonly claim: string;
  /** Values that are roles; others mean nothing here. */
  readonly allow: ReadonlySet<string>;
}

/**
 * Returns the value of a claim: the one of this very name, else the one at the path that its dots
 * make (`realm_access.roles`). A URL is a name with dots. Undefined where there is none.
 */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const step of name.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

/** Some databases don't take U+0000, and none of these is in a name. */
const CONTROL = /\p{Cc}|\p{Cs}/u;

/** Returns whether a value is a text that a database can keep. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && !CONTROL.test(value);
}

/** Returns a claim that is a text; null where it is none, or an empty one. */
export function textAt(claims: Claims, name: string): string | null {
  const value = claimAt(claims, name);
  return isText(value) && value.trim() !== '' ? value : null;
}

/** Returns the texts of a claim that is a text or a list. Other values are left out. */
export function textsAt(claims: Claims, name: string): readonly string[] {
  const value = claimAt(claims, name);
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.filter(isText);
}

/**
 * Returns ids or names of the accounts that a token reaches by its claims: true where it only
 * reads. The wider of two rules counts.
 */
export function accountsOf(
  claims: Claims,
  rules: readonly AccessRule[],
): ReadonlyMap<string, boolean> {
  const accounts = new Map<string, boolean>();
  for (const { claim, is, account, mode } of rules) {
    for (const text of textsAt(claims, claim)) {
      const match = is.exec(text);
      if (match === null) continue;
      const name = fill(account, match);
      accounts.set(name, mode === 'read' && accounts.get(name) !== false);
    }
  }
  return accounts;
}

/** Returns the roles of a token in order, each once. */
export function rolesOf(claims: Claims, rule: RoleRule | null): readonly string[] {
  if (rule === null) return [];
  const roles = textsAt(claims, rule.claim).filter((role) => rule.allow.has(role));
  return [...new Set(roles)].sort();
}

/**
 * Returns the scopes of a token: of `scope` (RFC 9068 2.2.3) and `scp`, each a text with spaces or
 * a list.
 */
export function scopesOf(claims: Claims): ReadonlySet<string> {
  const texts = ['scope', 'scp'].flatMap((name) => textsAt(claims, name));
  return new Set(texts.flatMap((text) => text.split(' ')).filter((scope) => scope !== ''));
}

function fill(template: string, match: readonly (string | undefined)[]): string {
  return template.replaceAll(/\{(\d)\}/g, (_, group: string) => match[Number(group)] ?? '');
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
