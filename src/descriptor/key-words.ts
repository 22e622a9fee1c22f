import type { AccountUse } from '../capability/capability-definition.js';
import type { OnDestroy, PropertyAccess } from '../capability/definition.js';
import { UNKNOWN_BOUNDS } from '../capability/unknown-properties.js';
import type { Normalization } from '../text/index.js';

/**
 * The words of a key, each with what it does: for editors and for docs/reference.
 */
export type Words<Word extends string> = Readonly<Record<Word, string>>;

/** Writers and readers of a property, by the value of `access`. */
export const ACCESS: Words<PropertyAccess> = Object.freeze({
  mutable: 'Clients write it.',
  immutable: 'A create gives it. An update to another value is `invalidProperties`.',
  serverSet:
    'The server writes it (hooks, `computed`, migrations) and clients read it. In a create it is ' +
    'an unknown property.',
  internal: 'Never on the wire, nor in the wire types: hooks alone read and write it.',
  secret: 'Clients write the text and nobody reads it back.',
});

/** How the server keeps a secret, by the value of `stored`. */
export const STORED: Words<'hash' | 'encrypt'> = Object.freeze({
  hash: 'scrypt with a salt: hooks can compare it.',
  encrypt: 'AES-256-GCM under `SECRETS_KEY`: who has the key can read it.',
});

/** Changes of a text, by the items of `normalize`. */
export const NORMALIZE: Words<Normalization> = Object.freeze({
  nfc: 'Unicode normalisation form C: é is one character.',
  trim: 'No white space at either end.',
  lowercase: 'Small letters (simple mappings of Unicode, the same on every server).',
});

/** Effects of a destroy on a reference to the object, by the value of `onDestroy`. */
export const ON_DESTROY: Words<OnDestroy> = Object.freeze({
  restrict:
    'The destroy is `objectIsLinked`; `objectIds` has ids of the objects that refer to it. ' +
    '`{ restrict: NAME }` gives the error another type.',
  cascade: 'This object is destroyed too, with the effects of that.',
  setNull:
    'A single id becomes null. If the member may be absent but not null, the server removes it. ' +
    'A list, set or map loses the entry. The object counts as updated.',
  keep: 'The id stays and names nothing any more.',
});

/** The fate of properties that a type doesn't declare, by the value of `unknownProperties`. */
export const UNKNOWN_WORDS: Words<'refuse' | 'keep'> = Object.freeze({
  refuse: 'They are `invalidProperties`.',
  keep:
    `The server stores and returns them: at most ${UNKNOWN_BOUNDS.count}, of ` +
    `${UNKNOWN_BOUNDS.octets} octets together.`,
});

/** Whether clients may destroy an object that a rule keeps from changing, by `destroy`. */
export const DESTROY_RULES: Words<'allow' | 'refuse'> = Object.freeze({
  allow: 'Clients may destroy the object.',
  refuse: 'A destroy is refused, and so is one that would take the object along.',
});

/** The users that an access rule is about, by the value of `who`. */
export const WHO = Object.freeze({
  owner: 'Users who may write in all of the account. Its owner may do everything anyhow.',
  everyone: 'All users who reach the account.',
  'role:NAME': 'Users with the role NAME.',
  creator: 'The user who created the object.',
  property: 'The users whose ids the property `of` holds. It has `principal: true`.',
  parent: 'The users who see the object that the reference `of` leads to.',
}) satisfies Words<string>;

/** Uses that a method makes of the account, by the value of `account`. */
export const ACCOUNT_USES: Words<AccountUse> = Object.freeze({
  none: 'It is about no account and has no `accountId`.',
  read: 'It reads data of the account.',
  write: 'It writes: a read-only account refuses it.',
});

/** Returns the words and what they do as one text, a line for each, as editors show it. */
export function wordsText(words: Words<string>): string {
  return Object.entries(words)
    .map(([word, meaning]) => `${word}: ${meaning}`)
    .join('\n');
}

/** Returns the words alone, for an enum: in the order in which the page lists them. */
export function wordNames<Word extends string>(words: Words<Word>): Word[] {
  return Object.keys(words) as Word[];
}
