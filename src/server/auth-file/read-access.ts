import type { AccessRule, RoleRule } from '../../accounts/oidc/claims.js';
import { compileGroups, type GroupPattern, PatternError } from '../../text/index.js';
import type { FileFields } from './file-fields.js';

/** Groups that a name can hold: `{1}` to `{9}`. */
const MAX_GROUPS = 9;

const MODES = ['read', 'write'] as const;

/** Reads the rules by which claims give access. */
export function readAccess(issuer: FileFields): readonly AccessRule[] {
  const keys = ['claim', 'is', 'account', 'mode'];
  return issuer.objects('access', 'a rule of "access"', keys).flatMap((rule) => {
    rule.require(...keys);
    const claim = rule.text('claim');
    const mode = rule.choice('mode', MODES);
    const account = rule.text('account');
    const is = readPattern(rule);
    if (claim === null || mode === null || account === null || is === null) return [];
    const groups = Array.from({ length: Math.min(is.groups, MAX_GROUPS) + 1 }, (_, at) => `${at}`);
    judgeTemplate(rule, 'account', groups);
    return [{ claim, is, account, mode }];
  });
}

/** Reads the rule by which a claim gives roles. */
export function readRoles(issuer: FileFields): RoleRule | null {
  const rule = issuer.object('roles', ['claim', 'allow']);
  rule?.require('claim', 'allow');
  const claim = rule?.text('claim') ?? null;
  const allow = rule?.texts('allow') ?? null;
  return claim === null || allow === null ? null : { claim, allow: new Set(allow) };
}

/** Complains of `{x}` where nothing is put in. */
export function judgeTemplate(fields: FileFields, key: string, names: readonly string[]): void {
  for (const [, name = ''] of fields.text(key)?.matchAll(/\{([^{}]*)\}/g) ?? []) {
    if (names.includes(name)) continue;
    const legal = names.map((one) => `{${one}}`).join(', ');
    fields.complain(key, `has {${name}}, which stands for nothing. Legal here: ${legal}.`);
  }
}

function readPattern(rule: FileFields): GroupPattern | null {
  const source = rule.text('is');
  if (source === null) return null;
  try {
    return compileGroups(source);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return rule.complain('is', `is ${error.kind === 'invalid' ? error.message : UNSAFE}`);
  }
}

const UNSAFE =
  'no pattern that takes linear time: it can have no look-around, no back-reference, no ' +
  'repetition of a part that can match nothing, as in (a*)*, and at most 1,000 parts, with ' +
  'counted repetitions such as a{1,20} written out.';
