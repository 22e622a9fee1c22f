import { type Browser, chromium } from 'playwright-core';
import { findProgram } from './find-program.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Returns the path of this machine's Chromium: `CHROMIUM_PATH`, or one in `PATH`; null: none. */
export function findChromium(): string | null {
  return findProgram('CHROMIUM_PATH', NAMES);
}

/** Why tests in a browser are skipped, and how to run them; null: they run. */
export const NO_CHROMIUM =
  findChromium() === null
    ? 'no Chromium in PATH: install one (Debian: apt-get install chromium), or set CHROMIUM_PATH'
    : null;

export function launchChromium(): Promise<Browser> {
  const executablePath = findChromium() ?? '';
  // Its sandbox refuses root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args });
}
