import { join } from 'node:path';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { ROOT } from '../../../test/support/server.js';

/** The origin of all pages. Nothing listens there. */
export const ORIGIN = 'http://localhost';

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

/** Opens an empty page of the origin, and runs a module of client/test in it. */
export async function openPage(context: BrowserContext, module: string): Promise<Page> {
  const content = await bundlePage(module);
  const page = await context.newPage();
  await page.route('**/*', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  );
  await page.goto(ORIGIN);
  await page.addScriptTag({ content });
  return page;
}
