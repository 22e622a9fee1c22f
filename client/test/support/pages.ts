import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { ROOT } from '../../../test/support/server.js';

/** The origin of pages that need no other. Nothing listens there. */
export const ORIGIN = 'http://localhost';

const EMPTY = '<!doctype html>';
/** Tests put scripts into the pages; none of them may run text as code. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; connect-src *; img-src blob:";

/** Serves empty pages, of an origin that may call servers of this machine. */
export async function servePages(): Promise<{ readonly origin: string; close(): void }> {
  const server = createServer((_, res) => {
    res.setHeader('content-type', 'text/html').setHeader('content-security-policy', POLICY);
    res.end(EMPTY);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** Returns a module of client/test as a script. */
export async function bundlePage(module: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'client/test', module)],
    bundle: true,
    format: 'iife',
    platform: 'browser',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** Opens an empty page of an origin, and runs a module of client/test in it. */
export async function openPage(
  context: BrowserContext,
  module: string,
  origin = ORIGIN,
): Promise<Page> {
  const content = await bundlePage(module);
  const page = await context.newPage();
  if (origin === ORIGIN)
    await page.route(/./, (route) =>
      route.fulfill({
        ...{ contentType: 'text/html', body: EMPTY },
        headers: { 'content-security-policy': POLICY },
      }),
    );
  await page.goto(origin);
  await page.addScriptTag({ content });
  return page;
}

/**
 * Stops a page, as a browser freezes one that nobody looks at; headless ones freeze none. Resolves
 * to the function that lets it go on.
 */
export async function stopPage(context: BrowserContext, page: Page): Promise<() => Promise<void>> {
  const session = await context.newCDPSession(page);
  const paused = new Promise((resolve) => session.once('Debugger.paused', resolve));
  await session.send('Debugger.enable');
  await session.send('Debugger.pause');
  // It stops at the next line that runs.
  page.evaluate(() => 0).catch(() => undefined);
  await paused;
  return async () => {
    await session.send('Debugger.resume');
    await session.detach();
    await page.evaluate(() => document.dispatchEvent(new Event('resume')));
  };
}
