import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/poll.js';
import type { Answer } from './calls.js';
import type { Example } from './example-project.js';
import { importMessage, message } from './mail-messages.js';

const DRAFT = {
  From: 'John <john@example.com>',
  To: 'jane@example.com, Jane <jane@EXAMPLE.com>',
  Bcc: 'bcc@example.org',
  Date: 'Tue, 10 Jul 2018 11:03:11 +1000',
  Subject: 'Plans',
};
const address = (email: string) => ({ email, parameters: null });
const HELD = { email: 'john@example.com', parameters: { HOLDFOR: '3600' } };

/** Tests identities, submissions and the vacation response of examples/mail. */
export function submissionCases(example: () => Example): void {
  let drafts: string;
  let sent: string;
  let identityId: string;
  const call = (name: string, args: object = {}): Promise<Answer> => example().call(name, args);
  const draft = async (fields: object = {}): Promise<Answer> =>
    importMessage(example(), message({ ...DRAFT, ...fields }), { mailboxIds: { [drafts]: true } });
  const submit = async (object: object): Promise<Answer> => {
    const { id: emailId } = 'emailId' in object ? { id: object.emailId } : await draft();
    const create = { k: { identityId, emailId, ...object } };
    const { created, notCreated } = await call('EmailSubmission/set', { create });
    return created?.k ?? notCreated.k;
  };

  beforeAll(async () => {
    ({ id: drafts } = await example().create('Mailbox', { name: 'To send' }));
    ({ id: sent } = await example().create('Mailbox', { name: 'Was sent' }));
    ({ id: identityId } = await example().create('Identity', { email: 'john@example.com' }));
  });

  it('RFC 8621 1.3: the session tells what sending can do', async () => {
    const session: Answer = await example().client.session();
    const { accountCapabilities } = session.accounts[example().accountId];
    const submission = 'urn:ietf:params:jmap:submission';
    const vacation = 'urn:ietf:params:jmap:vacationresponse';
    expect([session.capabilities[submission], session.capabilities[vacation]]).toEqual([{}, {}]);
    expect(accountCapabilities[vacation]).toEqual({});
    const { FUTURERELEASE } = accountCapabilities[submission].submissionExtensions;
    expect(FUTURERELEASE[0]).toBe(String(accountCapabilities[submission].maxDelayedSend));
  });

  it('RFC 8621 6.4: the identities of the example are stored', async () => {
    const signed = {
      name: 'Joe Bloggs',
      email: 'joe@example.com',
      replyTo: null,
      bcc: [{ name: null, email: 'joe+archive@example.com' }],
      textSignature: '-- \nJoe Bloggs\nMaster of Email',
      htmlSignature: '<div><b>Joe Bloggs</b></div><div>Master of Email</div>',
    };
    const serverSet = ['mayDelete'];
    const id = await example().storesUnchanged('Identity', signed, { serverSet });
    const domain = { name: 'Joe B', email: '*@example.com', replyTo: null, bcc: null };
    const signatures = { textSignature: '', htmlSignature: '' };
    await example().storesUnchanged('Identity', { ...domain, ...signatures }, { serverSet });
    const mine = { email: 'ann@nowhere.invalid' };
    const { notCreated } = await call('Identity/set', { create: { k: mine } });
    expect(notCreated.k.type).toBe('forbiddenFrom');
    expect(await example().destroy('Identity', id)).toBeUndefined();
  });

  it('RFC 8621 7.5: the example sends a draft, and moves it when that succeeds', async () => {
    const { id: emailId, threadId } = await draft();
    const patch = { [`mailboxIds/${drafts}`]: null, [`mailboxIds/${sent}`]: true };
    const envelope = {
      mailFrom: address('john@example.com'),
      rcptTo: [address('jane@example.com')],
    };
    const create = { k1490: { identityId, emailId, envelope } };
    const onSuccessUpdateEmail = { '#k1490': { ...patch, 'keywords/$draft': null } };
    const { accountId, client } = example();
    const args = { accountId, create, onSuccessUpdateEmail };
    const { methodResponses }: Answer = await client.api([['EmailSubmission/set', args, '0']]);
    expect(methodResponses.map(([name, , id]: Answer) => [name, id])).toEqual([
      ['EmailSubmission/set', '0'],
      ['Email/set', '0'],
    ]);
    expect(methodResponses[1][1].updated).toEqual({ [emailId]: null });
    expect((await example().read('Email', emailId)).mailboxIds).toEqual({ [sent]: true });
    const { id } = methodResponses[0][1].created.k1490;
    const stored = { id, identityId, emailId, threadId, envelope, dsnBlobIds: [], mdnBlobIds: [] };
    const submission = await example().read('EmailSubmission', id);
    expect(submission).toMatchObject(stored);
    expect(Math.abs(Date.parse(submission.sendAt) - Date.now())).toBeLessThan(60_000);
    await eventually(async () => {
      const { undoStatus, deliveryStatus } = await example().read('EmailSubmission', id);
      expect([undoStatus, deliveryStatus]).toMatchObject([
        'final',
        { 'jane@example.com': { delivered: 'unknown', displayed: 'unknown' } },
      ]);
    });
    const undo = await example().update('EmailSubmission', id, { undoStatus: 'canceled' });
    expect(undo.type).toBe('cannotUnsend');
    expect(await example().destroy('Email', emailId)).toBeUndefined();
    expect(await example().read('EmailSubmission', id)).toMatchObject({ emailId, threadId });
    // It was handed over, so nothing needs its record.
    expect(await example().destroy('EmailSubmission', id)).toBeUndefined();
  });

  it('RFC 8621 7: a message that is held can be canceled, and its e-mail goes then', async () => {
    const envelope = { mailFrom: HELD, rcptTo: [address('jane@example.com')] };
    const { id, sendAt, threadId } = await submit({ envelope });
    expect(Date.parse(sendAt) - Date.now()).toBeGreaterThan(3_000_000);
    expect((await example().destroy('EmailSubmission', id)).type).toBe('forbidden');
    const { emailId } = await example().read('EmailSubmission', id);
    const update = { [id]: { undoStatus: 'canceled' } };
    const { accountId, client } = example();
    const args = { accountId, update, onSuccessDestroyEmail: [id] };
    await client.api([['EmailSubmission/set', args, '0']]);
    expect(await example().read('Email', emailId)).toBeUndefined();
    const canceled = { undoStatus: 'canceled', threadId };
    expect(await example().ids('EmailSubmission', { filter: { undoStatus: 'canceled' } })).toEqual([
      id,
    ]);
    expect(await example().read('EmailSubmission', id)).toMatchObject(canceled);
    for (const undoStatus of ['pending', 'final'])
      expect(await example().update('EmailSubmission', id, { undoStatus })).toMatchObject({
        type: 'invalidProperties',
        properties: ['undoStatus'],
      });
    const sort = [{ property: 'emailId' }, { property: 'threadId' }, { property: 'sentAt' }];
    const filter = { identityIds: [identityId], emailIds: [emailId], threadIds: [threadId] };
    const times = { after: sendAt, before: new Date(Date.parse(sendAt) + 1).toISOString() };
    expect(
      await example().ids('EmailSubmission', { filter: { ...filter, ...times }, sort }),
    ).toEqual([id]);
  });

  it('RFC 8621 7: the envelope comes from the message where it is left out', async () => {
    const { envelope, deliveryStatus } = await submit({});
    const rcptTo = [address('jane@EXAMPLE.com'), address('bcc@example.org')];
    expect(envelope).toEqual({ mailFrom: address('john@example.com'), rcptTo });
    expect(deliveryStatus['bcc@example.org'].delivered).toBe('queued');
    const { id: emailId } = await draft({ Sender: 'boss@example.org' });
    expect((await submit({ emailId })).envelope.mailFrom).toEqual(address('john@example.com'));
  });

  it.each([
    ['invalidEmail', { From: '', Date: 'today' }, { properties: ['from', 'sentAt'] }],
    ['invalidEmail', { From: 'john@example.com, a@b.c' }, { properties: ['sender'] }],
    ['invalidEmail', { To: 'a@b.c\r\nTo: d@e.f' }, { properties: ['to'] }],
    ['forbiddenFrom', { From: 'ann@example.com' }, {}],
    ['noRecipients', { To: '', Bcc: '' }, {}],
    ['invalidRecipients', { To: 'jane, a@b' }, { invalidRecipients: ['jane'] }],
    [
      'tooManyRecipients',
      { To: Array.from({ length: 100 }, (_, at) => `a${at}@b.c`).join(', ') },
      { maxRecipients: 100 },
    ],
  ])('RFC 8621 7.5: %s of the message %j', async (type, fields, members) => {
    const { id: emailId } = await draft(fields);
    expect(await submit({ emailId })).toMatchObject({ type, ...members });
  });

  it.each<[string, object, object]>([
    ['forbiddenMailFrom', { email: 'ann@example.com' }, {}],
    [
      'invalidProperties',
      { ...HELD, parameters: { HOLDFOR: '9999999' } },
      { properties: ['envelope'] },
    ],
    [
      'invalidProperties',
      { ...HELD, parameters: { holduntil: 'soon' } },
      { properties: ['envelope'] },
    ],
    ['invalidProperties', { ...HELD, parameters: { RET: 'HDRS' } }, { properties: ['envelope'] }],
  ])('RFC 8621 7.5: %s of the return address %j', async (type, mailFrom, members) => {
    const rcptTo = [{ email: 'jane@example.com' }];
    expect(await submit({ envelope: { mailFrom, rcptTo } })).toMatchObject({ type, ...members });
  });

  it('RFC 8621 1.3.2: parameters of no extension in the session are refused', async () => {
    const rcptTo = [{ email: 'jane@example.com', parameters: { NOTIFY: 'NEVER' } }];
    const { properties, description } = await submit({
      envelope: { mailFrom: address('john@example.com'), rcptTo },
    });
    expect(properties).toEqual(['envelope']);
    expect(description).toContain('NOTIFY');
  });

  it('RFC 8621 7.5: an e-mail or an identity that is none is invalidProperties', async () => {
    const none = { type: 'invalidProperties', properties: ['emailId'] };
    expect(await submit({ emailId: 'none' })).toMatchObject(none);
    const other = { type: 'invalidProperties', properties: ['identityId'] };
    expect(await submit({ identityId: 'none' })).toMatchObject(other);
  });

  it('RFC 8621 8: the vacation response is one object', async () => {
    const none = { isEnabled: false, fromDate: null, toDate: null };
    const texts = { subject: null, textBody: null, htmlBody: null };
    const id = 'singleton';
    expect((await call('VacationResponse/get')).list).toEqual([{ id, ...none, ...texts }]);
    const fromDate = '2026-12-24T00:00:00Z';
    const patch = { isEnabled: true, fromDate, subject: 'Away', htmlBody: '<p>Away</p>' };
    expect(await example().update('VacationResponse', id, patch)).toBeNull();
    const stored = { id, ...none, ...texts, ...patch };
    expect(await example().read('VacationResponse', id)).toEqual(stored);
    const create = { k: { isEnabled: true } };
    const { notCreated } = await call('VacationResponse/set', { create });
    expect(notCreated.k.type).toBe('singleton');
  });
}
