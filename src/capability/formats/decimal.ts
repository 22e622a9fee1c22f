import { defineFormat } from './format.js';
import { type ExactNumber, numberKey } from './number-key.js';

/** Digits of a number at most, those behind the point included. */
const DIGITS = 40;

const DECIMAL = /^(-?)0*(\d*?)(?:\.(\d*?)0*)?$/;
/** The first digit of each part: `.5` and `5.` are no decimals. */
const FORM = /^-?\d+(?:\.\d+)?$/;
/** A longer text isn't looked at: zeros in front and behind are cut. */
const LONGEST = 256;

/** Returns the digits of a decimal; null for what is none. */
function parseDecimal(text: string): ExactNumber | null {
  if (text.length > LONGEST || !FORM.test(text)) return null;
  const [, sign = '', whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole.length + fraction.length > DIGITS) return null;
  return { isNegative: sign !== '' && whole + fraction !== '', whole, fraction };
}

function canonicalDecimal(text: string): string {
  const number = parseDecimal(text);
  if (number === null) return text;
  const { isNegative, whole, fraction } = number;
  const point = fraction === '' ? '' : `.${fraction}`;
  return `${isNegative ? '-' : ''}${whole === '' ? '0' : whole}${point}`;
}

/** An exact number of any size that people write down: an amount, a rate, a quantity. */
export const decimal = defineFormat({
  kind: 'string',
  notation: 'Decimal',
  description:
    `an exact number as text, at most ${DIGITS} digits, without an exponent. It is stored ` +
    'without useless zeros: `1.50` as `1.5`.',
  otherNames: ['numeric', 'money', 'bigdecimal', 'currency'],
  message: `must be a decimal of at most ${DIGITS} digits, for instance "19.99"`,
  isLegal: (text) => parseDecimal(text) !== null,
  canonical: canonicalDecimal,
  order: {
    name: 'decimalkey',
    kind: 'string',
    of: (text) => {
      const number = parseDecimal(text);
      return number && numberKey(number);
    },
    isEquality: false,
  },
  length: DIGITS + 3,
  present: null,
  legal: ['19.99', '0', '-0.5', '007.70', '123456789012345678901234567890.0123456789', '-12'],
  illegal: ['', '.5', '5.', '+1', '1e3', '1,5', '--1', ' 1', '1'.repeat(DIGITS + 1), 'NaN'],
  numbered: String,
});
