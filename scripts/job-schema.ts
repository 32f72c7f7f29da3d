import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { jobSchema } from '#crawl/jobs/job-schema.ts';

/** Writes jobs/job.schema.json, the JSON Schema for editors of job files. */

export const SCHEMA_FILE = join(resolve(import.meta.dirname, '..'), 'jobs', 'job.schema.json');

/** The schema of job files as plain JSON. */
export const publishedSchema = (): unknown =>
  JSON.parse(JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...jobSchema }));

if (process.argv[1] === import.meta.filename) {
  writeFileSync(SCHEMA_FILE, `${JSON.stringify(publishedSchema(), null, 2)}\n`);
}
