import { join } from 'node:path';
import { PACKAGE_ROOT } from '#base/package-root.ts';

/** Returns the path of a page of the documentation in the installed package. @param name such as `recovery.md` */
export const docsPage = (name: string): string => join(PACKAGE_ROOT, 'docs', name);
