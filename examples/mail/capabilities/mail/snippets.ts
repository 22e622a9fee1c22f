import { HookRefusal, searchWords } from 'jmapsmith/capability';
import { emailType } from '../../generated/mail/Email.definition.js';
import type { Hooks } from '../../generated/mail/hooks.js';
import { makeSnippet } from '../message/index.js';
import { MAX_OBJECTS } from './set-emails.js';

/** The words that a filter looks for in subjects and in bodies. */
interface Words {
  readonly subject: string[];
  readonly body: string[];
}

/** A filter is at most so deep. */
const MAX_DEPTH = 100;

/** Shows where the words of a filter stand (RFC 8621 5). */
export const getSnippets: Hooks['methods']['SearchSnippet/get'] = async (args, _call, reader) => {
  const { accountId, filter = null, emailIds } = args;
  if (emailIds.length > MAX_OBJECTS)
    throw new HookRefusal('requestTooLarge', `The call has more than ${MAX_OBJECTS} e-mails.`);
  const words: Words = { subject: [], body: [] };
  collectWords(filter, words, MAX_DEPTH);
  const emails = await reader.get(emailType, emailIds);
  const found = new Set(emails.map(({ id }) => id));
  const notFound = [...new Set(emailIds)].filter((id) => !found.has(id));
  const list = emails.map(({ id, subject, bodyText }) => ({
    emailId: id,
    subject: makeSnippet(subject ?? '', words.subject, Infinity),
    preview: makeSnippet(bodyText, words.body),
  }));
  return { accountId, list, notFound: notFound.length === 0 ? null : notFound };
};

/** Adds the words that an e-mail must have; NOT says which it must not have. */
function collectWords(filter: unknown, words: Words, depth: number): void {
  if (filter === null) return;
  if (typeof filter !== 'object' || Array.isArray(filter) || depth === 0) throw unsupported();
  const { operator, conditions, text, subject, body } = filter as Record<string, unknown>;
  if (operator !== undefined) {
    const isKnown = operator === 'AND' || operator === 'OR' || operator === 'NOT';
    if (!isKnown || !Array.isArray(conditions)) throw unsupported();
    if (operator === 'NOT') return;
    for (const condition of conditions) collectWords(condition, words, depth - 1);
    return;
  }
  if (typeof text === 'string' || typeof subject === 'string')
    words.subject.push(...[text, subject].flatMap(wordsOf));
  if (typeof text === 'string' || typeof body === 'string')
    words.body.push(...[text, body].flatMap(wordsOf));
}

function wordsOf(text: unknown): readonly string[] {
  return typeof text === 'string' ? searchWords(text) : [];
}

function unsupported(): HookRefusal {
  return new HookRefusal('unsupportedFilter', 'The filter is none of Email/query.');
}
