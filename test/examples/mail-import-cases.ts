import { expect, it } from 'vitest';
import type { Answer } from './calls.js';
import type { Example } from './example-project.js';
import { DINNER, mailOf, message } from './mail-messages.js';

/** Tests e-mails that come as blobs, and copies of e-mails. */
export function importCases(example: () => Example): void {
  const { call, mailbox, add } = mailOf(example);

  it('RFC 8621 4.8 and 4.9: imports and parses blobs, each by itself', async () => {
    const box = await mailbox('Imports');
    const { client, accountId } = example();
    const upload = async (text: string): Promise<string> =>
      (await client.upload(accountId, text, 'message/rfc822')).blobId;
    const received = 'from a by b; Mon, 2 Feb 2026 10:00:00 +0100';
    const blobId = await upload(message({ Received: received, Subject: 'Inner' }, 'Inside.'));
    const other = await upload('');
    const sent = await upload(message({ Subject: 'Never received' }));
    const mailboxIds = { [box]: true };
    const { created, notCreated } = await call('Email/import', {
      emails: {
        ...{ a: { blobId, mailboxIds }, b: { blobId: 'x', mailboxIds } },
        ...{ c: { blobId: other, mailboxIds }, d: {}, e: { blobId } },
        f: { blobId: sent, mailboxIds },
      },
    });
    expect(notCreated).toMatchObject({
      b: { type: 'invalidProperties', properties: ['blobId'] },
      c: { type: 'invalidEmail' },
      d: { type: 'invalidProperties', properties: ['blobId', 'mailboxIds'] },
      e: { type: 'invalidProperties', properties: ['mailboxIds'] },
    });
    const properties = ['receivedAt', 'size', 'preview', 'hasAttachment'];
    const { list } = await call('Email/get', { ids: [created.a.id, created.f.id], properties });
    expect(list[0]).toMatchObject({
      ...{ receivedAt: '2026-02-02T09:00:00Z', preview: 'Inside.', hasAttachment: false },
    });
    // Without a Received field it is now, in whole seconds.
    expect(list[1].receivedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const parsed = await call('Email/parse', {
      blobIds: [blobId, other, 'nothing'],
      properties: ['id', 'subject', 'size', 'textBody', 'header:subject'],
    });
    expect(parsed).toMatchObject({ notParsable: [other], notFound: ['nothing'] });
    expect(parsed.parsed[blobId]).toMatchObject({
      ...{ id: null, subject: 'Inner', size: list[0].size, 'header:subject': ' Inner' },
      textBody: [{ partId: '1', type: 'text/plain', blobId: expect.any(String) }],
    });
  });

  it('RFC 8621 4.7: copies e-mails into another account, and destroys the originals', async () => {
    const box = await mailbox('Copied');
    const { id, size } = await add(DINNER, { mailboxIds: { [box]: true } });
    const { client, server, accountId } = example();
    const { username } = (await client.session()) as Answer;
    const other = await server.tool('scripts/account', [
      ...['create', '--name', 'Other', '--user', username],
    ]);
    const [, made]: Answer = await client.call('Mailbox/set', {
      ...{ accountId: other, create: { k: { name: 'There' } } },
    });
    const mailboxIds = { [made.created.k.id]: true };
    const { methodResponses } = (await client.api([
      [
        'Email/copy',
        {
          ...{ fromAccountId: accountId, accountId: other, onSuccessDestroyOriginal: true },
          create: { k45: { id, mailboxIds } },
        },
        '0',
      ],
    ])) as Answer;
    const [[, { created }], [name, { destroyed }, callId]] = methodResponses;
    expect(created.k45).toMatchObject({ size, blobId: expect.any(String) });
    expect([name, destroyed, callId]).toEqual(['Email/set', [id], '0']);
    const [, { list }]: Answer = await client.call('Email/get', {
      ...{ accountId: other, ids: [created.k45.id], properties: ['subject', 'threadId'] },
    });
    expect(list[0]).toMatchObject({
      ...{ subject: 'Dinner on Thursday?', threadId: expect.any(String) },
    });
  });
}
