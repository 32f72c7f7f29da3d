/** Stands for what was erased: the target of a crawl, a handle, a name or a text. */
export const ERASED_MARK = '(forgotten)';

/** The assignments of SQL that leave nothing of a forgotten account in the row of its crawl. */
export const ERASE_CRAWL_COLUMNS = `target = '${ERASED_MARK}', handle = null, target_rest_id = null, options = '{}', cursor = null,
  checkpoint = null, error = null, items = 0, new_items = 0, rejected_items = 0, erased_items = 0, changes = 0,
  last_page_items = null`;
