/**
 * Gives a server a clock that never tells the same time twice (NODE_OPTIONS loads it). Objects
 * sorted by time then have one order, however fast requests follow one another.
 */
const RealDate = Date;
let last = 0;
const now = () => {
  last = Math.max(RealDate.now(), last + 1);
  return last;
};

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(now());
    else super(...args);
  }

  static now() {
    return now();
  }
};
