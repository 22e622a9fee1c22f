import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeIdentity, type Sink, startSink } from '../../push/webpush/sink.js';
import { NO_CHROMIUM } from '../../support/chromium.js';
import { eventually } from '../../support/poll.js';
import { PushService } from './push-service.js';
import { usePushExample } from './rig.js';

if (NO_CHROMIUM !== null) it.skip(`notifications of a browser: ${NO_CHROMIUM}`);

describe.skipIf(NO_CHROMIUM !== null)('notifications of examples/push in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-page-'));
  const { authority, certificate } = makeIdentity();
  let service = new PushService();
  let sink: Sink;
  let context: BrowserContext;

  const example = usePushExample(async () => {
    writeFileSync(join(folder, 'ca.pem'), authority.ca);
    sink = await startSink((...both) => service.respond(...both), certificate);
    return {
      PUSH_CONTACT: 'mailto:operator@example.com',
      PUSH_ALLOW: '127.0.0.0/8',
      PUSH_CA: join(folder, 'ca.pem'),
    };
  });
  afterAll(async () => {
    await sink.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    service = new PushService();
    context = await example().browser.newContext();
    await context.grantPermissions(['notifications'], { origin: example().page });
    await service.connect(context, example().page, (path) => sink.url(path));
  });
  afterEach(async () => {
    // The server forgets the devices of a test that failed, too.
    const destroy = (await subscriptions()).map(({ id }) => id);
    await example().client.ok('PushSubscription/set', { destroy });
    await context.close();
  });

  async function subscriptions(): Promise<readonly Subscription[]> {
    const { list } = (await example().client.ok('PushSubscription/get', { ids: null })) as never;
    return list;
  }

  const verified = async (): Promise<readonly Subscription[]> =>
    (await subscriptions()).filter(({ verificationCode }) => verificationCode !== null);

  /** The notifications that the user sees, which take away each other. */
  async function notifications(): Promise<readonly string[]> {
    const [worker] = context.serviceWorkers();
    const read = 'registration.getNotifications().then((all) => all.map(({ body }) => body))';
    return worker === undefined ? [] : worker.evaluate(read);
  }

  async function subscribedPage(): Promise<Page> {
    const page = await example().open(context);
    await example().signIn(page);
    await page.click('#notify');
    await eventually(async () => expect(await verified()).toHaveLength(1));
    return page;
  }

  it('the code reaches the page, and a change shows a notification', async () => {
    const page = await subscribedPage();
    expect(await subscriptions()).toMatchObject([{ types: ['Item'] }]);
    expect(await notifications()).toEqual(['Notifications are on.']);
    await page.waitForSelector('#notify', { state: 'hidden' });
    await example().write(1);
    await eventually(async () => expect(await notifications()).toEqual(['Something changed.']));
    const [path = ''] = service.paths;
    const [verification, change] = (service.texts.get(path) ?? []).map((text) => JSON.parse(text));
    expect(verification['@type']).toBe('PushVerification');
    expect(change).toMatchObject({ '@type': 'StateChange' });
    expect(Object.values(change.changed)).toEqual([{ Item: await example().stateOfItems() }]);
  });

  it('a code that comes while no page is open waits for the next one', async () => {
    service.isHolding = true;
    const page = await example().open(context);
    await example().signIn(page);
    await page.click('#notify');
    await eventually(() => expect(service.texts.size).toBe(1));
    await page.close();
    await service.release();
    const text = 'Open the list once, so that it can notify you.';
    await eventually(async () => expect(await notifications()).toEqual([text]));
    expect(await verified()).toEqual([]);
    await example().signIn(await example().open(context));
    await eventually(async () => expect(await verified()).toHaveLength(1));
    expect(service.paths).toHaveLength(1);
  });

  it('each start of the page asks for more time, and keeps the subscription', async () => {
    const page = await subscribedPage();
    const [before] = await subscriptions();
    // The server gives whole seconds: the second that the page has begun in may not be over.
    const soon = `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`;
    const update = { [before?.id ?? '']: { expires: soon } };
    const { updated } = await example().client.ok('PushSubscription/set', { update });
    expect(Object.keys(updated as object)).toEqual([before?.id]);
    await page.reload();
    await eventually(async () => {
      const [after] = await subscriptions();
      expect(after?.id).toBe(before?.id);
      expect(Date.parse(after?.expires ?? '')).toBeGreaterThan(Date.parse(soon));
    });
    expect(service.paths).toHaveLength(1);
  });

  it('a new key of the server makes the page subscribe anew at its next start', async () => {
    const page = await subscribedPage();
    const [before] = await subscriptions();
    await example().server.tool('push', ['rotate-key']);
    await page.reload();
    await eventually(async () => {
      const ids = (await verified()).map(({ id }) => id);
      expect(ids).toHaveLength(1);
      expect(ids).not.toContain(before?.id);
    });
    expect(service.subscribedPaths()).toEqual(['/device/1']);
    await example().write(1);
    await eventually(() => expect(service.texts.get('/device/1')).toHaveLength(2));
  });

  it('a key that changes while the page subscribes is noticed', async () => {
    service.onSubscribe = async () => {
      service.onSubscribe = async () => undefined;
      await example().server.tool('push', ['rotate-key']);
    };
    await subscribedPage();
    await eventually(() => expect(service.subscribedPaths()).toEqual(['/device/1']));
    await eventually(async () => expect(await verified()).toHaveLength(1));
    await example().write(1);
    await eventually(async () => expect(await notifications()).toEqual(['Something changed.']));
  });

  it('a subscription that the browser replaces is told to the server', async () => {
    const page = await subscribedPage();
    const key = JSON.parse(await page.evaluate(`localStorage.getItem('test-push-manager')`))
      .key as string;
    const made = { ...service.replace(key, (path) => sink.url(path)), key };
    await page.evaluate(
      `localStorage.setItem('test-push-manager', ${JSON.stringify(JSON.stringify(made))})`,
    );
    // A script can't make a real event of this kind.
    await context.serviceWorkers()[0]?.evaluate(`
      const event = new Event('pushsubscriptionchange');
      event.waitUntil = () => undefined;
      dispatchEvent(event);
    `);
    await eventually(() => expect(service.texts.get('/device/1')).toHaveLength(1));
    await eventually(async () => expect(await verified()).toHaveLength(1));
  });

  it('signing out ends both subscriptions, and forgets the token', async () => {
    const page = await subscribedPage();
    await page.click('#sign-out');
    await page.waitForSelector('#sign-in', { state: 'visible' });
    await eventually(async () => expect(await subscriptions()).toEqual([]));
    expect(service.subscribedPaths()).toEqual([]);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    const stored = (await page.evaluate('JSON.stringify(localStorage)')) as string;
    expect(stored).not.toContain(example().client.token);
  });
});

interface Subscription {
  readonly id: string;
  readonly expires: string;
  readonly types: readonly string[] | null;
  readonly verificationCode: string | null;
}
