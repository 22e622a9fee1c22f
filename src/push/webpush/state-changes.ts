import { createHash } from 'node:crypto';
import { emptyObject } from '../../protocol/json.js';
import { LONGEST_PLAINTEXT } from './encrypt.js';

type Changed = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A StateChange (RFC 8620 7.1) that fits into one push message. */
export interface StateChangeText {
  readonly text: string;
  /** The same for the same accounts and types, whatever their states: 32 characters. */
  readonly topic: string;
}

/**
 * Makes StateChange objects of `changed`, JSON: one where it fits into a push message, else as many
 * as it takes.
 */
export function writeStateChanges(changed: string): readonly StateChangeText[] {
  const parsed = JSON.parse(changed) as Changed;
  if (fits(changed)) return [{ text: stateChange(changed), topic: topicOf(parsed) }];
  return divide(parsed).map((part) => ({
    text: stateChange(JSON.stringify(part)),
    topic: topicOf(part),
  }));
}

function stateChange(changed: string): string {
  return `{"@type":"StateChange","changed":${changed}}`;
}

function fits(changed: string): boolean {
  return Buffer.byteLength(stateChange(changed)) <= LONGEST_PLAINTEXT;
}

/** Divides between accounts, and within an account where it must. */
function divide(changed: Changed): readonly Changed[] {
  const parts: Record<string, Record<string, string>>[] = [];
  let part = emptyObject<Record<string, string>>();
  let size = 0;
  for (const [account, states] of Object.entries(changed)) {
    for (const [type, state] of Object.entries(states)) {
      // The account's name may count although it is there: the parts are a little shorter, then.
      const entry = Buffer.byteLength(JSON.stringify({ [account]: { [type]: state } }));
      if (size > 0 && size + entry > LONGEST_PLAINTEXT - stateChange('{}').length) {
        parts.push(part);
        part = emptyObject();
        size = 0;
      }
      size += entry + 1;
      part[account] ??= emptyObject();
      part[account][type] = state;
    }
  }
  return [...parts, part];
}

/** RFC 8030 5.4: at most 32 characters of base64url. */
function topicOf(changed: Changed): string {
  const names = Object.entries(changed).map(([account, states]) => [
    account,
    ...Object.keys(states).sort(),
  ]);
  names.sort(([left = ''], [right = '']) => (left < right ? -1 : 1));
  const digest = createHash('sha256').update(JSON.stringify(names)).digest();
  return digest.toString('base64url', 0, 24);
}
