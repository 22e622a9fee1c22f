import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_CHROMIUM } from '../../support/chromium.js';
import { eventually } from '../../support/poll.js';
import { shown, usePushExample, watchStreams } from './rig.js';

if (NO_CHROMIUM !== null) it.skip(`a page in a browser: ${NO_CHROMIUM}`);

describe.skipIf(NO_CHROMIUM !== null)('the page of examples/push in Chromium', () => {
  const example = usePushExample();

  it('misses nothing in 200 writes over a lost network and restarts of the server', async () => {
    const { browser } = example();
    const context = await browser.newContext();
    const page = await example().open(context);
    const streams = watchStreams(page);
    await example().signIn(page);
    await eventually(() => expect(streams).toHaveLength(1));
    await example().write(50);
    await eventually(async () => expect(await shown(page)).toBe(50));

    // Connections break, and new ones fail: the browser is told of no loss.
    const { network } = example();
    network.watch(() => 'cut');
    network.cut();
    await example().write(50);
    network.watch(undefined);
    await eventually(async () => expect(await shown(page)).toBe(100));

    // The server ends the stream. The client is back after the writes.
    network.watch(() => 'cut');
    await example().restart();
    await example().write(50);
    network.watch(undefined);
    await eventually(async () => expect(await shown(page)).toBe(150));

    // The browser knows that it is offline, while the server is killed.
    await context.setOffline(true);
    await example().server.kill();
    await example().restart();
    await example().write(50);
    expect(await shown(page)).toBe(150);
    await context.setOffline(false);
    await eventually(async () => expect(await shown(page)).toBe(200));

    // A request without an answer is sent again with the same id.
    const ids = await Promise.all(streams.map((each) => each.headerValue('last-event-id')));
    expect(ids[0]).toBeNull();
    expect(ids.slice(1).every((id) => id !== null)).toBe(true);
    expect(new Set(ids).size).toBeGreaterThanOrEqual(4);
    expect(streams.map((each) => each.url()).join()).not.toContain('ticket');
    await context.close();
  });

  it('goes on after a network that fell silent, as after sleep', async () => {
    const context = await example().browser.newContext();
    const page = await example().open(context);
    const streams = watchStreams(page);
    await example().signIn(page);
    await eventually(() => expect(streams).toHaveLength(1));
    const count = await example().count();
    await eventually(async () => expect(await shown(page)).toBe(count));
    example().network.stall();
    await example().write(1);
    example().network.resume();
    // Connections that are there stay silent: the stream, and those that the browser has kept.
    await eventually(() => expect(streams.length).toBeGreaterThan(1), 300_000);
    await eventually(async () => expect(await shown(page)).toBe(count + 1), 300_000);
    expect(await streams[1]?.headerValue('last-event-id')).toMatch(/^[\w-]+$/);
    example().network.cut();
    await context.close();
  });

  it('one tab reads the stream for two; the other goes on where it ended', async () => {
    const context = await example().browser.newContext();
    const [one, two] = [await example().open(context), await example().open(context)];
    const [first, second] = [watchStreams(one), watchStreams(two)];
    await example().signIn(one);
    await eventually(() => expect(first).toHaveLength(1));
    await example().signIn(two);
    const count = await example().count();
    await example().write(1);
    for (const page of [one, two])
      await eventually(async () => expect(await shown(page)).toBe(count + 1));
    expect([first.length, second.length]).toEqual([1, 0]);
    await one.close();
    await eventually(() => expect(second).toHaveLength(1));
    expect(await second[0]?.headerValue('last-event-id')).toMatch(/^[\w-]+$/);
    await example().write(1);
    await eventually(async () => expect(await shown(two)).toBe(count + 2));
    await context.close();
  });

  it('an EventSource goes on with a new ticket and its last id', async () => {
    const context = await example().browser.newContext();
    await context.addInitScript({ path: join(import.meta.dirname, 'native-stream.js') });
    const page = await example().open(context);
    const heads: string[] = [];
    page.on('request', (request) => heads.push(request.headers()['referer'] ?? ''));
    page.on('response', (response) => heads.push(JSON.stringify(response.headers())));
    await page.evaluate(`followNatively('${example().url}', '${example().client.token}')`);
    const read = async () => (await page.evaluate('native')) as Native;
    await eventually(async () => expect((await read()).opened).toBe(1));
    await example().write(1);
    await eventually(async () => expect((await read()).states).toHaveLength(1));
    await example().restart();
    await example().write(20);
    const last = await example().stateOfItems();
    await eventually(async () => expect((await read()).states.at(-1)).toBe(last));
    const { tickets } = await read();
    expect(tickets.length).toBeGreaterThan(1);
    for (const ticket of tickets) {
      expect(example().logs).not.toContain(ticket);
      expect(heads.join('\n')).not.toContain(ticket);
    }
    expect(example().logs).toContain('/jmap/eventsource');
    expect(heads.join('\n')).toContain('"x-request-id"');
    await context.close();
  });

  it('a page of a foreign origin reads nothing', async () => {
    const { browser, url: server, client } = example();
    const context = await browser.newContext();
    const page = await example().open(context, example().foreign);
    const streams = watchStreams(page);
    await page.fill('[name=token]', client.token);
    await page.click('#sign-in button');
    await eventually(async () =>
      expect(await page.textContent('output')).toMatch(/Failed to fetch/),
    );
    const url = `${server}/jmap/eventsource?types=Item&closeafter=no&ping=0`;
    const headers = { Authorization: `Bearer ${client.token}` };
    const fetched = `fetch('${url}', { headers: ${JSON.stringify(headers)} })`;
    await expect(page.evaluate(fetched)).rejects.toThrow('Failed to fetch');
    const { json } = await client.http('/jmap/ticket', { method: 'POST' });
    const { ticket } = json as { ticket: string };
    const opened = `new Promise((resolve) => {
      const source = new EventSource('${url}&ticket=${ticket}');
      source.onopen = () => resolve('opened');
      source.onerror = () => resolve(source.readyState);
    })`;
    // CLOSED: the browser doesn't try again.
    expect(await page.evaluate(opened)).toBe(2);
    expect(streams.length).toBeGreaterThan(0);
    expect(example().logs).not.toContain(ticket);
    await context.close();
  });
});

interface Native {
  readonly states: readonly string[];
  readonly tickets: readonly string[];
  readonly opened: number;
}
