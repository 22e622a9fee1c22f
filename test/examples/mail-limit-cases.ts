import { expect, it } from 'vitest';
import type { Answer } from './calls.js';
import type { Example } from './example-project.js';
import { DINNER, mailOf } from './mail-messages.js';

/** Tests the limits that the session of examples/mail tells, on whatever database serves it. */
export function limitCases(example: () => Example): void {
  const { call, mailbox, add } = mailOf(example);

  it('RFC 8621 1.3.1: a name of a mailbox has maxSizeMailboxName octets', async () => {
    const { notCreated } = await call('Mailbox/set', { create: { k: { name: 'ü'.repeat(128) } } });
    expect(notCreated.k).toMatchObject({ type: 'invalidProperties', properties: ['name'] });
    await mailbox(`${'ü'.repeat(127)}u`);
  });

  it('RFC 8620 2: methods of hooks take as many objects as the session says', async () => {
    const { capabilities }: Answer = await example().client.session();
    const { maxObjectsInSet } = capabilities['urn:ietf:params:jmap:core'];
    const destroy = Array.from({ length: maxObjectsInSet }, (_, at) => `none${at}`);
    const { notDestroyed } = await call('Email/set', { destroy });
    expect(Object.keys(notDestroyed)).toHaveLength(maxObjectsInSet);
    expect(await call('Email/set', { destroy: [...destroy, 'more'] })).toMatchObject({
      error: 'requestTooLarge',
    });
  });

  it('RFC 8621 4.7: a copy has no message of its own', async () => {
    const { id, blobId } = await add(DINNER, { mailboxIds: { [await mailbox('One')]: true } });
    const { client, server, accountId } = example();
    const { username }: Answer = await client.session();
    const other = await server.tool('scripts/account', [
      ...['create', '--name', 'Blobs', '--user', username],
    ]);
    const create = { k: { id, blobId, mailboxIds: {} } };
    const args = { fromAccountId: accountId, accountId: other, create };
    const [name, error]: Answer = await client.call('Email/copy', args);
    expect([name, error.type]).toEqual(['error', 'invalidArguments']);
    expect(error.description).toContain('create/k/blobId');
  });
}
