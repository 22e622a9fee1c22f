/**
 * Loaded before a server (NODE_OPTIONS): no two moments are one, so that what is sorted by time has one order, however
 * fast requests follow one another.
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
