CREATE TABLE `fields_by_day` (
	`endpoint` text NOT NULL,
	`day` integer NOT NULL,
	`field` text NOT NULL,
	`is_drift` integer NOT NULL,
	`items` integer NOT NULL,
	`filled` integer NOT NULL,
	PRIMARY KEY(`endpoint`, `field`, `is_drift`, `day`)
);
