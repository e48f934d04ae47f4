// SPDX-License-Identifier: Apache-2.0
#include "port/repair_http.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <exception>
#include <memory>
#include <mutex>

#include "ambidex/base.h"
#include "base/interrupt.h"

namespace ambidex::repair {
namespace {

constexpr size_t kMaxErrorBytes = size_t{64} << 10;
constexpr int kPollMilliseconds = 50;

struct Freed {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct MultiFreed {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

// What the callbacks of one exchange share.
struct Exchange {
  CURL* easy = nullptr;
  const std::function<void(std::string_view)>* take = nullptr;
  HttpResponse response;
  Clock::time_point last_bytes = Clock::now();
  std::exception_ptr thrown;
};

size_t on_body(char* bytes, size_t, size_t count, void* user) {
  Exchange& exchange = *static_cast<Exchange*>(user);
  exchange.last_bytes = Clock::now();
  long status = 0;
  curl_easy_getinfo(exchange.easy, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) {
    std::string& body = exchange.response.error_body;
    body.append(bytes, std::min(count, kMaxErrorBytes - std::min(kMaxErrorBytes, body.size())));
    return count;
  }
  try {
    (*exchange.take)(std::string_view(bytes, count));
  } catch (...) {  // not through C
    exchange.thrown = std::current_exception();
    return 0;
  }
  return count;
}

std::unique_ptr<curl_slist, Freed> list_of(const std::vector<std::string>& headers) {
  curl_slist* list = nullptr;
  for (const std::string& header : headers) list = curl_slist_append(list, header.c_str());
  list = curl_slist_append(list, "Expect:");  // no round trip before the body
  return std::unique_ptr<curl_slist, Freed>(list);
}

void set_options(const HttpRequest& request, const curl_slist* headers, Exchange& exchange) {
  CURL* const easy = exchange.easy;
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
}

// Why the exchange must end now; "" if it need not.
std::string overdue(const HttpRequest& request, const Exchange& exchange) {
  const auto now = Clock::now();
  if (now >= request.deadline) return "the time is up";
  const std::chrono::duration<double> silent = now - exchange.last_bytes;
  if (silent.count() < request.max_silent_seconds) return "";
  return fmt::format("nothing came for {:g} s", request.max_silent_seconds);
}

// Runs the exchange to its end, and says what went wrong with the connection.
std::string perform(const HttpRequest& request, CURLM* multi, Exchange& exchange) {
  for (int running = 1; running > 0;) {
    if (curl_multi_perform(multi, &running) != CURLM_OK) return "libcurl failed";
    throw_if_interrupted();
    if (exchange.thrown) std::rethrow_exception(exchange.thrown);
    if (running == 0) break;
    if (std::string why = overdue(request, exchange); !why.empty()) return why;
    curl_multi_poll(multi, nullptr, 0, kPollMilliseconds, nullptr);
  }
  int left = 0;
  const CURLMsg* const message = curl_multi_info_read(multi, &left);
  if (message == nullptr) return "libcurl failed";
  const CURLcode result = message->data.result;
  if (result == CURLE_URL_MALFORMAT || result == CURLE_UNSUPPORTED_PROTOCOL) {
    throw Error(ErrorKind::bad_input,
                "the endpoint's URL is none; expected https://host/path or http://localhost:port");
  }
  return result == CURLE_OK ? "" : curl_easy_strerror(result);
}

}  // namespace

HttpResponse http_post(const HttpRequest& request,
                       const std::function<void(std::string_view)>& take) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  const std::unique_ptr<CURL, Freed> easy(curl_easy_init());
  const std::unique_ptr<CURLM, MultiFreed> multi(curl_multi_init());
  check(easy != nullptr && multi != nullptr, "libcurl starts");
  const auto headers = list_of(request.headers);
  Exchange exchange{.easy = easy.get(), .take = &take, .response = {}, .thrown = {}};
  set_options(request, headers.get(), exchange);
  curl_multi_add_handle(multi.get(), easy.get());
  try {
    exchange.response.fault = perform(request, multi.get(), exchange);
  } catch (...) {
    curl_multi_remove_handle(multi.get(), easy.get());
    throw;
  }
  long status = 0;
  curl_off_t retry_after = 0;  // seconds; libcurl reads dates too
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy.get(), CURLINFO_RETRY_AFTER, &retry_after);
  curl_multi_remove_handle(multi.get(), easy.get());
  exchange.response.status = static_cast<int>(status);
  if (retry_after > 0) exchange.response.retry_after_seconds = static_cast<double>(retry_after);
  return std::move(exchange.response);
}

}  // namespace ambidex::repair
