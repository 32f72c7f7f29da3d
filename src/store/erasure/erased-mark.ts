/** Stands for what was erased: the target of a crawl, a handle, a name or a text. */
export const ERASED_MARK = '(forgotten)';
