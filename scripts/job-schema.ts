import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { jobSchema } from '../src/jobs/job-schema.ts';

/** Writes jobs/job.schema.json, the JSON Schema that editors check and complete job files with. */

export const SCHEMA_FILE = join(resolve(import.meta.dirname, '..'), 'jobs', 'job.schema.json');

/** The schema that job files are checked by, as plain JSON. */
export const publishedSchema = (): unknown =>
  JSON.parse(JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...jobSchema }));

if (process.argv[1] === import.meta.filename) {
  writeFileSync(SCHEMA_FILE, `${JSON.stringify(publishedSchema(), null, 2)}\n`);
}
