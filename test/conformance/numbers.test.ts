import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/server.js';
import { CHECKS_OF_CASES, IN_PART, NOT_TESTED, TESTS_OF_CASES } from './cases-table.js';
import { ALL_CHECKS } from './checks.js';

// The numbers of the black-box cases, which have gaps on purpose. Titles of tests name those they
// are about, cases-table.ts the checks of the runner, so what nobody tests and labels that no case has are found here.
const NUMBERS: Readonly<Record<string, string>> = {
  A: '1 3 5 6 8 10 11 13 15 16 18 20 21 23 25 26 28 30 31 33',
  B: '35 36 38 40 41 43 45 46 48 50 51 53 55 56 58 60 61 63 65 66 68 70 71',
  C: '73 75 76 78 80 81 83 85 86 88 90 91 93 95 96',
  D: '98 100 101 103',
  E: '105 106 108 110 111 113 115 116 118 120 121 123 125 126 128 130 131 133 135 136',
  F: '138 140 141 143 145 146 148 150 151 153 155 156 158 160 161',
  G: '163 165 166 168 170 171 173 175 176 178 180 181 183 185',
  H: '186 188 190 191 193 195 196 198 200 201 203 205 206 208 210 211',
  I: '213 215 216 218 220 221 223 225 226 228 230 231 233 235 236 238 240 241 243 245',
  J: '246 248 250 251 253 255 256 258 260 261 263 265 266 268 270 271 273 275 276 278 280 281 283 285 286 288 290 291',
  K: '293 295 296 298 300 301 303 305 306',
  L: '308 310 311 313 315 316 318 320 321 323 325 326 328',
  M: '330 331 333 335 336 338 340 341 343',
  N: '345 346 348 350 351 353 355 356 358 360 361 363 365 366',
  O: '368 370 371 373 375 376 378 380 381 383 385 386 388 390 391',
  P: '393 395 396 398 400 401 403 405 406 408 410 411 413 415 416',
  Q: '418 420 421 423 425 426 428 430 431 433 435 436 438 440 441 443 445 446',
  R: '448 450 451 453 455 456 458 460 461 463 465 466 468 470 471 473 475 476 478 480 481 483 485 486 488 490',
  S: '491 493 495 496 498 500 501 503 505 506 508 510 511',
  T: '513 515 516 518 520 521 523 525 526 528 530 531 533 535 536 538 540 541 543 545 546',
  U: '548 550 551 553 555 556 558 560 561 563 565 566 568 570 571 573 575 576 578 580 581',
  V: '583 585 586 588 590 591 593 595',
  W: '596 598 600 601 603 605 606',
};

const LAST = 606;
const all = Object.values(NUMBERS).flatMap((line) => line.split(' ').map(Number));

/** Numbers after "case" or "cases" in code, with those between where one says "to". */
function labelled(): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const folder = join(ROOT, 'test');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (!/['"`]/.test(line) || /^\s*(\/\/|\/?\*)/.test(line)) continue;
      for (const [, list = ''] of line.matchAll(/\bcases? (\d+(?:(?:, | and |, and | to )\d+)*)/g))
        for (const [, from = '', to = from] of list.matchAll(/(\d+)(?: to (\d+))?/g)) {
          const between = all.filter((one) => one > Number(from) && one < Number(to));
          for (const one of [Number(from), ...between, Number(to)]) found.set(one, file);
        }
    }
  }
  return found;
}

const numbersOf = (table: Readonly<Record<number, string>>): number[] =>
  Object.keys(table).map(Number);

it('every numbered case has a check or a test, or a reason', () => {
  const shown = new Set([
    ...labelled().keys(),
    ...numbersOf(CHECKS_OF_CASES),
    ...numbersOf(TESTS_OF_CASES),
  ]);
  expect(all.filter((one) => !shown.has(one) && !NOT_TESTED.has(one))).toEqual([]);
  expect([...NOT_TESTED.keys()].filter((one) => shown.has(one) || !all.includes(one))).toEqual([]);
  expect([...IN_PART.keys()].filter((one) => !shown.has(one))).toEqual([]);
});

it('the tests of cases are there', () => {
  const missing = Object.entries(TESTS_OF_CASES).filter(([number, test]) => {
    const [file = '', title = ''] = test.split(' > ');
    return !all.includes(Number(number)) || !readFileSync(join(ROOT, file), 'utf8').includes(title);
  });
  expect(missing).toEqual([]);
});

it('the checks of cases are there', () => {
  const ids = new Set(ALL_CHECKS.map(({ id }) => id));
  const named = Object.entries(CHECKS_OF_CASES).flatMap(([number, list]) =>
    list.split(' ').map((id) => [Number(number), id] as const),
  );
  expect(named.filter(([number, id]) => !all.includes(number) || !ids.has(id))).toEqual([]);
});

it('no label names a case that is not there', () => {
  const wrong = [...labelled()].filter(([one]) => one > 4 && one <= LAST && !all.includes(one));
  expect(wrong).toEqual([]);
});
