/** How texts compare, as the server has it: Unicode's tables are a module of their own. */
export interface TextRules {
  /** Returns the form in which letter case doesn't count. */
  fold(text: string): string;
  /** Returns the words of a search. */
  words(text: string): readonly string[];
  /** Returns the key of a collation, whose order is that of `<`; null: an unknown one. */
  collate(collation: string): ((text: string) => string) | null;
}
