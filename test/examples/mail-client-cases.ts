import { expect, it } from 'vitest';
import { loadJam } from '../clients/jam.js';
import { openClient } from '../clients/jmap-client-ts.js';
import type { Answer } from './calls.js';
import type { Example } from './example-project.js';
import { message } from './mail-messages.js';

const DRAFT = {
  keywords: { $draft: true },
  from: [{ name: 'First', email: 'first@example.com' }],
  to: [{ name: null, email: 'second@example.com' }],
  subject: 'A plan',
  textBody: [{ partId: 'b', type: 'text/plain' }],
  bodyValues: { b: { value: 'It is cunning.', isEncodingProblem: false, isTruncated: false } },
};

/** Tests mail by client libraries that nobody here wrote, each as its documentation uses it. */
export function clientCases(example: () => Example): void {
  const newMailbox = async (name: string): Promise<string> =>
    (await example().create('Mailbox', { name })).id;

  it('jmap-jam imports a message, and finds it with a snippet in one request', async () => {
    const { accountId, client, server } = example();
    const { jam } = (await loadJam())(server.url, client.token);
    const { Email } = jam.api as Answer;
    const inMailbox = await newMailbox('By jam');
    const text = message({ Subject: 'A cunning plan' }, 'It cannot fail, my lord.');
    const { blobId } = await jam.uploadBlob(accountId, new Blob([text]));
    const emails = { i: { blobId, mailboxIds: { [inMailbox]: true } } };
    const [{ created }] = await Email.import({ accountId, emails });
    const filter = { inMailbox, text: 'FAIL' };
    const [answers] = await jam.requestMany((calls) => {
      const { Email, SearchSnippet } = calls as Answer;
      const found = Email.query({ accountId, filter });
      const read = Email.get({ accountId, ids: found.$ref('/ids'), properties: ['subject'] });
      const emailIds = found.$ref('/ids');
      return { found, read, snippets: SearchSnippet.get({ accountId, emailIds, filter }) };
    });
    const { found, read, snippets }: Answer = answers;
    expect(found.ids).toEqual([created.i.id]);
    expect(read.list).toEqual([{ id: created.i.id, subject: 'A cunning plan' }]);
    expect(snippets.list[0].preview).toBe('It cannot <mark>fail</mark>, my lord.');
  });

  it('jmap-client-ts makes a draft, reads, marks and sends it, and follows changes', async () => {
    const { accountId, call, client: own, server } = example();
    const { client } = await openClient(server.url, own.token);
    const box = await newMailbox('By client-ts');
    const identities = { create: { i: { name: 'First', email: 'first@example.com' } } };
    const identityId = (await call('Identity/set', identities)).created.i.id;
    const { state } = await client.email_get({ accountId, ids: [] });
    const draft: Answer = { ...DRAFT, mailboxIds: { [box]: true } };
    const { created } = await client.email_set({ accountId, create: { d: draft } });
    const emailId = created?.['d']?.id ?? '';
    const filter: Answer = { inMailbox: box, hasKeyword: '$draft' };
    expect((await client.email_query({ accountId, filter })).ids).toEqual([emailId]);
    const submission: Answer = { emailId, identityId };
    await client.emailSubmission_set({
      ...{ accountId, create: { s: submission } },
      onSuccessUpdateEmail: { '#s': { 'keywords/$draft': null, 'keywords/$seen': true } },
    });
    const { list } = await client.email_get({ accountId, ids: [emailId] });
    const { subject, from, to } = DRAFT;
    expect(list).toMatchObject([{ subject, from, to, keywords: { $seen: true } }]);
    const changes = await client.email_changes({ accountId, sinceState: state });
    expect(changes).toMatchObject({ created: [emailId], hasMoreChanges: false });
    const boxes = await client.mailbox_get({ accountId, ids: [box] });
    expect(boxes.list).toMatchObject([{ totalEmails: 1, unreadEmails: 0 }]);
  });
}
