/** The file formats of datasets: one with a type for each column, and one that every program reads. */
export const DATASET_FORMATS = ['parquet', 'csv'] as const;
export type DatasetFormat = (typeof DATASET_FORMATS)[number];
