/** An exact amount: so many units of a power of ten. */
interface Amount {
  readonly units: bigint;
  readonly decimals: number;
}

function read(text: string): Amount {
  const [whole = '', fraction = ''] = text.split('.');
  return { units: BigInt(whole + fraction), decimals: fraction.length };
}

function write({ units, decimals }: Amount): string {
  const sign = units < 0n ? '-' : '';
  const digits = `${units < 0n ? -units : units}`.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

function scaled({ units, decimals }: Amount, to: number): bigint {
  return units * 10n ** BigInt(to - decimals);
}

/** Returns the exact sum of decimals. */
export function add(...texts: readonly string[]): string {
  const amounts = texts.map(read);
  const decimals = Math.max(0, ...amounts.map((each) => each.decimals));
  const units = amounts.reduce((sum, each) => sum + scaled(each, decimals), 0n);
  return write({ units, decimals });
}

/** Returns the exact difference of two decimals. */
export function subtract(from: string, text: string): string {
  return add(from, text.startsWith('-') ? text.slice(1) : `-${text}`);
}

/** Returns the product of decimals in whole cents; half a cent goes away from zero. */
export function multiply(...texts: readonly string[]): string {
  const amounts = texts.map(read);
  const units = amounts.reduce((product, each) => product * each.units, 1n);
  const decimals = amounts.reduce((sum, each) => sum + each.decimals, 0);
  if (decimals <= 2) return write({ units, decimals });
  const divisor = 10n ** BigInt(decimals - 2);
  const half = (units < 0n ? -divisor : divisor) / 2n;
  return write({ units: (units + half) / divisor, decimals: 2 });
}

/** Returns whether the first decimal is more than the second one. */
export function isMore(one: string, other: string): boolean {
  const difference = subtract(one, other);
  return difference !== '0' && !difference.startsWith('-');
}
