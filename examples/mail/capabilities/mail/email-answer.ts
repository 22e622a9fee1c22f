import { HookRefusal } from 'jmapsmith/capability';
import type { EmailHooks } from '../../generated/mail/hooks.js';
import { MessageRefusal, parseMessage, readHeaderName } from '../message/index.js';
import { type BodyArguments, requireBodyProperties, viewMessage } from './body-view.js';

/** Reads out of the messages what the database doesn't keep (RFC 8621 4.2). */
export const answerEmails: EmailHooks['answer'] = {
  timeout: '30s',
  async run(objects, { properties, families }, { arguments: args }, reader) {
    const headers = families['header:*'].map(({ name }) => name);
    const answers = new Map<string, object>();
    for (const { id, blobId, parts } of objects) {
      const blob = await reader.blob(blobId);
      if (blob === null) throw new Error(`The message of the e-mail ${id} is gone.`);
      const message = parseMessage(await blob.bytes());
      answers.set(id, viewMessage(message, [...properties, ...headers], args, parts));
    }
    return answers;
  },
};

/** Throws `invalidArguments` for names of header fields and body parts that no message has. */
export function requireNames(properties: readonly string[], args: BodyArguments): void {
  try {
    properties.filter((name) => name.startsWith('header:')).forEach(readHeaderName);
    requireBodyProperties(args);
  } catch (error) {
    if (!(error instanceof MessageRefusal)) throw error;
    throw new HookRefusal('invalidArguments', error.message);
  }
}
