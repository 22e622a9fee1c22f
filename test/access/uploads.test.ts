import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../support/poll.js';
import { Desk } from './desk.js';
import { startPeople, useProject } from './rules-rig.js';

// Files of users who reach an account by shares alone.

const root = useProject('pictures.yaml');

const READ = { mayRead: true };
const WRITE = { mayRead: true, mayWrite: true };

it('users upload files where they may write something, and nowhere else', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-uploads-data-'));
  const members = { ada: {}, bob: { given: 'nothing' }, eve: { given: 'nothing' } } as const;
  const people = await startPeople(root(), { url: null, dataDir }, members);
  try {
    const { accountId, users } = people;
    const desk = (name: keyof typeof members) => new Desk(users[name], accountId);
    const [ada, bob, eve] = [desk('ada'), desk('bob'), desk('eve')];
    const album = await ada.create('Album', { name: 'Summer' });
    const share = (shareWith: object) => ada.update('Album', album, { shareWith });
    await share({ [bob.id]: READ, [eve.id]: WRITE });
    const args = { create: { k: { data: [{ 'data:asText': 'x' }] } } };
    const post = ({ client }: Desk) =>
      client.http(`/jmap/upload/${accountId}`, { method: 'POST', body: 'x' });
    await eventually(async () => expect((await post(eve)).status).toBe(200));
    expect((await eve.call('Blob/upload', args)).created).toHaveProperty('k');
    expect((await post(bob)).status).toBe(403);
    expect(await bob.call('Blob/upload', args)).toMatchObject({ error: 'accountReadOnly' });
    const copy = { fromAccountId: users.bob.ownAccountId, blobIds: [] };
    expect(await bob.call('Blob/copy', copy)).toMatchObject({ error: 'accountReadOnly' });
    await share({ [bob.id]: WRITE, [eve.id]: WRITE });
    expect((await post(bob)).status).toBe(200);
  } finally {
    await people.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
