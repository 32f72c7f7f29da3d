"""Scrapy: a spider that gives an item per page, and a pipeline that stores it."""

import scrapy
from scrapy.crawler import CrawlerProcess

from store import Store
from work import path_of, read_page, run_peer

SETTINGS = {
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
    "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7",
    # For an API on this machine: no cookies, no proxy, and nobody is slowed down.
    "COOKIES_ENABLED": False,
    "HTTPPROXY_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
}


class FollowersSpider(scrapy.Spider):
    name = "followers"

    def start_requests(self):
        for target in self.targets:
            yield self.ask(target)

    def ask(self, target, cursor=None):
        return scrapy.Request(
            self.url + path_of(target, cursor),
            headers={"x-api-key": self.key},
            cb_kwargs={"target": target},
        )

    def parse(self, response, target):
        page = read_page(response.body)
        yield {"target": target, "body": response.body, "page": page}
        cursor = page[-1]
        if cursor is not None:
            yield self.ask(target, cursor)


class StorePipeline:
    def process_item(self, item, spider):
        spider.store(item["target"], item["body"], item["page"])
        return item


def crawl(url, key, sets, chains, store):
    process = CrawlerProcess(
        {
            **SETTINGS,
            "CONCURRENT_REQUESTS": chains,
            "CONCURRENT_REQUESTS_PER_DOMAIN": chains,
            "ITEM_PIPELINES": {StorePipeline: 100},
        }
    )

    def crawl_next_set(_=None):
        targets = next(sets, None)
        if targets is not None:
            crawling = process.crawl(FollowersSpider, url=url, key=key, targets=targets, store=store)
            return crawling.addCallback(crawl_next_set)

    crawl_next_set()
    process.start()


run_peer(Store, crawl)
