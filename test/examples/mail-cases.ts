import { expect, it } from 'vitest';
import { EventStream } from '../support/event-source.js';
import type { Answer } from './calls.js';
import type { Example } from './example-project.js';
import { clientCases } from './mail-client-cases.js';
import { importCases } from './mail-import-cases.js';
import { limitCases } from './mail-limit-cases.js';
import { COUNTS, DINNER, mailOf, message } from './mail-messages.js';
import { queryCases } from './mail-query-cases.js';

const RIGHTS = Object.fromEntries(
  [
    ...['ReadItems', 'AddItems', 'RemoveItems', 'SetSeen', 'SetKeywords', 'CreateChild'],
    ...['Rename', 'Delete', 'Submit'],
  ].map((right) => [`may${right}`, true]),
);

/** Tests what examples/mail is about, on whatever database serves it. */
export function mailCases(example: () => Example): void {
  mailboxCases(example);
  emailCases(example);
  importCases(example);
  clientCases(example);
  queryCases(example);
  limitCases(example);
}

function mailboxCases(example: () => Example): void {
  const { call, mailbox, add, counts } = mailOf(example);

  it('RFC 8621 1.3: the session tells what the mail of an account can do', async () => {
    const session: Answer = await example().client.session();
    const capability = 'urn:ietf:params:jmap:mail';
    expect(session.capabilities[capability]).toEqual({});
    const { accountCapabilities } = session.accounts[example().accountId];
    expect(accountCapabilities[capability]).toMatchObject({
      maxMailboxesPerEmail: 20,
      maxMailboxDepth: null,
      mayCreateTopLevelMailbox: true,
    });
  });

  it('RFC 8621 2.6: mailboxes, and what of them changes with their e-mails', async () => {
    const inbox = { name: 'Inbox', parentId: null, role: 'inbox', sortOrder: 10 };
    const id = await example().storesUnchanged(
      'Mailbox',
      { ...inbox, isSubscribed: true },
      { serverSet: [...Object.keys(COUNTS), 'myRights'] },
    );
    expect(await example().read('Mailbox', id)).toMatchObject({ ...COUNTS, myRights: RIGHTS });
    const { state } = await call('Mailbox/get', { ids: [] });
    await add(message({ Subject: 'Hi' }), { mailboxIds: { [id]: true } });
    const changes = await call('Mailbox/changes', { sinceState: state });
    expect(changes).toMatchObject({ created: [], updated: [id], destroyed: [] });
    expect([...changes.updatedProperties].sort()).toEqual(Object.keys(COUNTS).sort());
    expect(await example().update('Mailbox', id, { name: 'Maybe important' })).toBeNull();
    expect(await example().destroy('Mailbox', id)).toMatchObject({ type: 'mailboxHasEmail' });
  });

  it('RFC 8621 2: names are unique among siblings, and roles in the account', async () => {
    const parentId = await mailbox('Work');
    await mailbox('Notes', { parentId });
    await mailbox('Notes');
    const refusal = async (object: object): Promise<Answer> =>
      (await call('Mailbox/set', { create: { k: object } })).notCreated.k;
    expect(await refusal({ name: 'Notes' })).toMatchObject({ type: 'alreadyExists' });
    expect(await refusal({ name: 'A', role: 'inbox' })).toMatchObject({ type: 'alreadyExists' });
    for (const wrong of [{ name: '' }, { name: 'a\n' }])
      expect(await refusal(wrong)).toMatchObject({
        type: 'invalidProperties',
        properties: ['name'],
      });
    expect(await example().destroy('Mailbox', parentId)).toMatchObject({ type: 'mailboxHasChild' });
    const query = { filter: { parentId }, sort: [{ property: 'name' }], sortAsTree: true };
    expect(await example().ids('Mailbox', query)).toHaveLength(1);
  });

  it('RFC 8621 2: a thread is unread apart from its e-mails in the trash', async () => {
    const box = await mailbox('Read');
    const trash = await mailbox('Bin', { role: 'trash' });
    const sent = { 'Message-ID': '<t1@example.com>', Subject: 'Trash' };
    const answer = { 'In-Reply-To': '<t1@example.com>', Subject: 'Re: Trash' };
    await add(message(sent), { mailboxIds: { [box]: true }, keywords: { $seen: true } });
    const { id } = await add(message(answer), { mailboxIds: { [trash]: true } });
    const one = { totalEmails: 1, totalThreads: 1 };
    expect(await counts(box)).toEqual({ ...one, unreadEmails: 0, unreadThreads: 0 });
    expect(await counts(trash)).toEqual({ ...one, unreadEmails: 1, unreadThreads: 1 });
    await example().update('Mailbox', trash, { role: null });
    expect(await counts(box)).toMatchObject({ unreadThreads: 1 });
    await example().update('Mailbox', trash, { role: 'trash' });
    await example().update('Email', id, { [`mailboxIds/${box}`]: true });
    expect(await counts(box)).toEqual({
      ...{ totalEmails: 2, totalThreads: 1, unreadEmails: 1, unreadThreads: 1 },
    });
  });

  it('RFC 8621 2.5: e-mails go with their last mailbox if the client says so', async () => {
    const box = await mailbox('Goes');
    const other = await mailbox('Stays');
    const gone = await add(message({ Subject: 'Gone' }), { mailboxIds: { [box]: true } });
    const both = { mailboxIds: { [box]: true, [other]: true } } as const;
    const { id } = await add(message({ Subject: 'Stays' }), both);
    const args = { destroy: [box], onDestroyRemoveEmails: true };
    expect((await call('Mailbox/set', args)).destroyed).toEqual([box]);
    const { list, notFound } = await call('Email/get', {
      ids: [gone.id, id],
      properties: ['mailboxIds'],
    });
    expect(list).toEqual([{ id, mailboxIds: { [other]: true } }]);
    expect(notFound).toEqual([gone.id]);
    expect((await call('Thread/get', { ids: [gone.threadId] })).notFound).toEqual([gone.threadId]);
  });
}

function emailCases(example: () => Example): void {
  const { call, mailbox, add } = mailOf(example);

  it('RFC 8621 4.2: gives headers and bodies as the arguments ask for them', async () => {
    const box = await mailbox('Dinner');
    const receivedAt = '2013-10-13T14:12:00Z';
    const { id, threadId } = await add(DINNER, { mailboxIds: { [box]: true }, receivedAt });
    const asked = ['threadId', 'mailboxIds', 'from', 'subject', 'receivedAt'];
    const { list, notFound } = await call('Email/get', {
      ids: ['f123u456', id],
      properties: [...asked, 'header:List-POST:asURLs', 'htmlBody', 'bodyValues'],
      bodyProperties: ['partId', 'blobId', 'size', 'type'],
      fetchHTMLBodyValues: true,
      maxBodyValueBytes: 256,
    });
    expect(notFound).toEqual(['f123u456']);
    const [{ bodyValues, htmlBody, ...email }] = list;
    expect(email).toEqual({
      ...{ id, threadId, mailboxIds: { [box]: true }, receivedAt },
      from: [{ name: 'Joe Bloggs', email: 'joe@example.com' }],
      subject: 'Dinner on Thursday?',
      'header:List-POST:asURLs': ['mailto:partytime@lists.example.com'],
    });
    expect(htmlBody).toMatchObject([
      { partId: '1', type: 'text/html' },
      { partId: '2', type: 'text/plain' },
    ]);
    const whole = { isEncodingProblem: false, isTruncated: false };
    expect(bodyValues).toEqual({
      '1': { ...whole, isTruncated: true, value: expect.stringMatching(/^<html><body><p>Hello/) },
      '2': { ...whole, value: '-- Sent by your friendly mailing list' },
    });
    expect(bodyValues['1'].value).toHaveLength(256);
    const blobId = htmlBody[1].blobId;
    const path = `/jmap/download/${example().accountId}/${blobId}/part`;
    expect((await example().client.http(path)).text).toBe('-- Sent by your friendly mailing list');
    for (const properties of [['header:From:asDate'], ['header:a:asText:first'], ['nothing']])
      expect(await call('Email/get', { ids: ['none'], properties })).toMatchObject({
        error: 'invalidArguments',
      });
    const [all] = (await call('Email/get', { ids: [id] })).list;
    expect(Object.keys(all).sort()).toEqual(DEFAULT_PROPERTIES);
  });

  it('RFC 8621 4.10: makes drafts, which later calls of the request may name', async () => {
    const box = await mailbox('Drafts', { role: 'drafts' });
    const from = [{ name: 'Joe Bloggs', email: 'joe@example.com' }];
    const metadata = {
      mailboxIds: { [box]: true },
      keywords: { $seen: true, $draft: true },
      from,
      subject: 'World domination',
      receivedAt: '2018-07-10T01:03:11Z',
      sentAt: '2018-07-10T11:03:11+10:00',
    };
    const value = 'I have the most brilliant plan. Let me tell you all about it. What we do is, we';
    const text = { partId: 'bd48', type: 'text/plain', 'header:Content-Language': 'en' };
    const draft = {
      ...metadata,
      bodyStructure: text,
      bodyValues: { bd48: { value, isTruncated: false } },
    };
    const { accountId, client } = example();
    const properties = [...Object.keys(metadata), 'bodyValues', 'textBody'];
    const ask = { properties, fetchAllBodyValues: true, bodyProperties: ['type', 'language'] };
    const { methodResponses } = (await client.api([
      ['Email/set', { accountId, create: { k192: draft } }, '0'],
      ['Email/get', { accountId, ids: ['#k192'], ...ask }, '1'],
    ])) as Answer;
    const [[, { created, oldState, newState }], [, { list, state }]] = methodResponses;
    expect(Object.keys(created.k192)).toEqual(['id', 'blobId', 'threadId', 'size']);
    expect(newState).not.toBe(oldState);
    expect(state).toBe(newState);
    const { bodyValues, textBody, ...stored } = list[0];
    expect(stored).toEqual({ id: created.k192.id, ...metadata });
    expect(textBody).toEqual([{ type: 'text/plain', language: ['en'] }]);
    expect(Object.values(bodyValues)).toMatchObject([{ value }]);

    const html = { partId: 'a49d', type: 'text/html', 'header:Content-Language': 'en' };
    const formatted = `<b>${value}</b>`;
    const edited = {
      to: [{ name: 'John', email: 'john@example.com' }],
      receivedAt: '2018-07-10T01:05:08Z',
      sentAt: '2018-07-10T11:05:08+10:00',
    };
    const next = {
      ...{ ...draft, ...edited },
      bodyStructure: { type: 'multipart/alternative', subParts: [html, text] },
      bodyValues: { ...draft.bodyValues, a49d: { value: formatted, isTruncated: false } },
    };
    const destroy = [created.k192.id];
    const answer = await call('Email/set', { create: { k1546: next }, destroy });
    expect(answer.destroyed).toEqual(destroy);
    const { id } = answer.created.k1546;
    const {
      bodyStructure,
      bodyValues: values,
      ...others
    } = (
      await call('Email/get', {
        ...{ ids: [id], properties: Object.keys(next), fetchAllBodyValues: true },
        bodyProperties: ['type', 'partId', 'language', 'subParts'],
      })
    ).list[0];
    expect(others).toEqual({ id, ...metadata, ...edited });
    const [first, second] = bodyStructure.subParts;
    expect(bodyStructure).toEqual({
      ...{ type: 'multipart/alternative', partId: null, language: null },
      subParts: [
        { type: 'text/html', partId: first.partId, language: ['en'], subParts: null },
        { type: 'text/plain', partId: second.partId, language: ['en'], subParts: null },
      ],
    });
    const flags = { isTruncated: false, isEncodingProblem: false };
    expect(values).toEqual({
      [first.partId]: { value: formatted, ...flags },
      [second.partId]: { value, ...flags },
    });
    expect(await call('Email/set', { ifInState: oldState })).toMatchObject({
      error: 'stateMismatch',
    });
  });

  it('RFC 8621 4.6: refuses e-mails with the properties that are wrong', async () => {
    const box = await mailbox('Wrong');
    const mailboxIds = { [box]: true };
    const refusal = async (object: object): Promise<Answer> =>
      (await call('Email/set', { create: { k: object } })).notCreated.k;
    const named = (...properties: string[]) => ({ type: 'invalidProperties', properties });
    expect(await refusal({})).toMatchObject(named('mailboxIds'));
    expect(await refusal({ mailboxIds: { nowhere: true } })).toMatchObject(named('mailboxIds'));
    expect(await refusal({ mailboxIds, threadId: 'x' })).toMatchObject(named('threadId'));
    const attachments = [{ blobId: 'nothing', type: 'image/png' }];
    expect(await refusal({ mailboxIds, attachments })).toMatchObject({
      ...{ type: 'blobNotFound', notFound: ['nothing'] },
    });
    const keywords = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, true]));
    expect(await refusal({ mailboxIds, keywords })).toMatchObject({ type: 'tooManyKeywords' });
    const { id } = await example().create('Email', { mailboxIds, subject: 'Fine' });
    const update = (patch: object): Promise<Answer> => example().update('Email', id, patch);
    expect(await update({ subject: 'New' })).toMatchObject(named('subject'));
    expect(await update({ subject: 'Fine' })).toBeNull();
    expect(await update({ mailboxIds: {} })).toMatchObject(named('mailboxIds'));
    expect(await update({ 'keywords/$Flagged': true })).toEqual({ keywords: { $flagged: true } });
  });

  /** Returns the types that the first event names after a change. */
  const changedBy = async (change: () => Promise<unknown>): Promise<readonly string[]> => {
    const { client, accountId } = example();
    const query = { types: '*', closeafter: 'state', ping: '0' };
    const stream = await EventStream.open(client, query);
    await change();
    const { data }: Answer = await stream.find(({ event }) => event === 'state');
    return Object.keys(data.changed[accountId]);
  };

  it('RFC 8621 1.5: the state of EmailDelivery changes with new e-mails alone', async () => {
    const box = await mailbox('Delivery');
    let id = '';
    const added = await changedBy(async () => {
      ({ id } = await add(message({ Subject: 'New' }), { mailboxIds: { [box]: true } }));
    });
    expect(added).toEqual(expect.arrayContaining(['Email', 'EmailDelivery', 'Mailbox', 'Thread']));
    const read = await changedBy(() => example().update('Email', id, { 'keywords/$seen': true }));
    expect(read).toEqual(expect.arrayContaining(['Email', 'Mailbox']));
    expect(read).not.toContain('EmailDelivery');
  });

  it('RFC 8620 7.1: one event names all types that went with a mailbox', async () => {
    const box = await mailbox('Removed');
    await add(message({ Subject: 'Removed' }), { mailboxIds: { [box]: true } });
    const args = { destroy: [box], onDestroyRemoveEmails: true };
    const types = await changedBy(() => call('Mailbox/set', args));
    expect([...types].sort()).toEqual(['Email', 'Mailbox', 'Thread']);
  });
}

/** The properties that Email/get gives by default (RFC 8621 4.2). */
const DEFAULT_PROPERTIES = [
  ...['attachments', 'bcc', 'blobId', 'bodyValues', 'cc', 'from', 'hasAttachment', 'htmlBody'],
  ...['id', 'inReplyTo', 'keywords', 'mailboxIds', 'messageId', 'preview', 'receivedAt'],
  ...['references', 'replyTo', 'sender', 'sentAt', 'size', 'subject', 'textBody', 'threadId', 'to'],
];
