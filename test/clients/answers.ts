/** Responses of the standard methods (RFC 8620 5), as far as these tests look at them. */
export interface GetAnswer<T> {
  readonly state: string;
  readonly list: readonly T[];
  readonly notFound: readonly string[];
}

export interface SetAnswer<T> {
  readonly oldState: string;
  readonly newState: string;
  readonly created?: Readonly<Record<string, Partial<T> & { readonly id: string }>> | null;
  readonly updated?: Readonly<Record<string, Partial<T> | null>> | null;
  readonly destroyed?: readonly string[] | null;
}

export interface QueryAnswer {
  readonly ids: readonly string[];
  readonly queryState: string;
}

export interface ChangesAnswer {
  readonly newState: string;
  readonly hasMoreChanges: boolean;
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly destroyed: readonly string[];
}

/** A gadget of test/conformance/gadget.yaml, as far as these tests give and read it. */
export interface Gadget {
  readonly id: string;
  readonly title: string;
  readonly rank: number;
  readonly tags: Readonly<Record<string, true>>;
  readonly blobId: string | null;
  readonly parentId: string | null;
}
