import type { Normalization } from '../text/index.js';
import type { FormatName } from './formats/index.js';
import type { Place } from './places.js';

/** The one form in which a text is stored: its normal form, then that of its format. */
export interface TextForm {
  readonly normalize?: readonly Normalization[];
  readonly format?: FormatName;
}

/** The form of the texts at a place within a property's values. */
export interface TextRule extends TextForm {
  readonly place: Place;
}
