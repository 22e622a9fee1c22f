import { readFileSync } from 'node:fs';

/**
 * Loaded before a server (NODE_OPTIONS): its clock is off by the milliseconds that the file
 * $CLOCK_FILE holds.
 */
const real = Date.now;
const RealDate = Date;
const offset = () => Number(readFileSync(process.env.CLOCK_FILE, 'utf8'));

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(real() + offset());
    else super(...args);
  }

  static now() {
    return real() + offset();
  }
};
