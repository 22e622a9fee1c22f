/**
 * How often RFC 8620 has a key word of BCP 14 (MUST, MUST NOT, REQUIRED, SHALL, SHALL NOT, SHOULD,
 * SHOULD NOT, RECOMMENDED, NOT RECOMMENDED, MAY, OPTIONAL; in capitals, the longest that fits) in
 * the text of each section, its subsections apart; a section that isn't here has none. Of sections
 * 1 to 6, 7.1, 7.3 and 8. Counted by a script from the RFC's text, which isn't in this repository.
 */
export const keywordsOfSections: Readonly<Record<string, number>> = Object.freeze({
  '1.1': 13,
  '1.2': 2,
  '1.3': 1,
  '1.4': 3,
  '1.5': 2,
  '1.6.2': 1,
  '1.6.3': 1,
  '1.7': 2,
  '1.8': 4,
  '2': 19,
  '2.2': 2,
  '3.1': 2,
  '3.3': 4,
  '3.4': 2,
  '3.5': 2,
  '3.6.1': 2,
  '3.6.2': 10,
  '3.7': 3,
  '3.8': 2,
  '3.9': 1,
  '3.10': 1,
  '5': 1,
  '5.1': 6,
  '5.2': 17,
  '5.3': 26,
  '5.4': 4,
  '5.5': 19,
  '5.6': 7,
  '5.7': 1,
  '6': 11,
  '6.1': 5,
  '6.2': 3,
  '7.1': 1,
  '7.3': 15,
  '8.1': 3,
  '8.2': 1,
  '8.3': 2,
  '8.5': 1,
  '8.6': 6,
  '8.7': 1,
});

/** The same of RFC 9404, sections 3 to 5, counted in its last draft (18). */
export const keywordsOfBlobSections: Readonly<Record<string, number>> = Object.freeze({
  '3.1': 8,
  '4.1': 8,
  '4.2': 7,
  '4.3': 1,
  '5': 6,
});
