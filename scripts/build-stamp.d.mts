export function inputFiles(root: string): string[];
export function stampOf(root: string, files: readonly string[]): string;
export function computeStamp(root: string): string;
export function readStamp(file: string): string | undefined;
export function writeStamp(file: string, stamp: string): void;
export function stampFile(root: string): string;
export function isCurrent(root: string): boolean;
